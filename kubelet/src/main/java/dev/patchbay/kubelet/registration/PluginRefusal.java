package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.GoStatus;
import io.grpc.StatusRuntimeException;
import java.io.IOException;

/// A plugin answered a call with an error, too late, or not at all. The message has the form in
/// which the kubelet, written in Go, shows it.
public final class PluginRefusal extends IOException {
  private static final long serialVersionUID = 1L;

  PluginRefusal(String prefix, StatusRuntimeException failure) {
    super(prefix + GoStatus.text(failure), failure);
  }
}
