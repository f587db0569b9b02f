package dev.patchbay.kubelet.registration;

import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.Locale;

/// A plugin answered a call with an error, too late, or not at all. The message has the form in
/// which the kubelet, written in Go, shows it.
public final class PluginRefusal extends IOException {
  private static final long serialVersionUID = 1L;

  PluginRefusal(String prefix, StatusRuntimeException failure) {
    super(prefix + text(failure), failure);
  }

  static String text(StatusRuntimeException failure) {
    String description = failure.getStatus().getDescription();
    return "rpc error: code = "
        + goName(failure.getStatus().getCode().name())
        + " desc = "
        + (description == null ? "" : description);
  }

  /// `DEADLINE_EXCEEDED` as Go says it: `DeadlineExceeded`.
  private static String goName(String code) {
    var name = new StringBuilder();
    for (String word : code.split("_", -1))
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    return name.toString();
  }
}
