package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.DeviceId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/// Sees what plugins and the kubelet say to each other. Methods are called on the threads of the
/// calls, several at once; what one of them waits for holds up that call alone.
public interface PluginObserver {
  /// Sees nothing.
  PluginObserver NONE = new PluginObserver() {};

  /// A registration as it arrived on `kubelet.sock`; nothing of it is checked.
  ///
  /// @param version of the API
  /// @param preStart whether the plugin says it wants PreStartContainer
  /// @param preference whether it says it has GetPreferredAllocation
  record Registration(
      String version, String resource, String endpoint, boolean preStart, boolean preference) {}

  /// The calls to a plugin for one container.
  enum Call {
    /// GetPreferredAllocation; the devices are those that are available.
    GET_PREFERRED_ALLOCATION,
    /// Allocate
    ALLOCATE,
    /// PreStartContainer
    PRE_START_CONTAINER
  }

  /// A registration arrived. What is thrown refuses it, with this text.
  default void arrived(Registration registration) throws IOException, InterruptedException {}

  /// A registration was refused, by [#arrived] or by the kubelet.
  default void refused(Registration registration, String why) {}

  /// A plugin is connected, whichever way it registered, and its list is about to be read.
  default void connected(PluginConnection connection, Path socket) {}

  /// A full list arrived, and does not count yet.
  default void listed(PluginConnection connection, ListedDevices list) {}

  /// A plugin is about to be asked.
  default void asking(PluginConnection connection, Call call, Collection<DeviceId> devices) {}
}
