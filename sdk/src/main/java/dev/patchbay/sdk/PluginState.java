package dev.patchbay.sdk;

/// Where a served plugin stands with the kubelet.
public sealed interface PluginState {
  /// No list of devices was published yet.
  record WaitingForDevices() implements PluginState {}

  /// Not registered, and why; tried again when something changes and after a pause.
  ///
  /// @param reason for a person: `no kubelet listens on
  ///   /var/lib/kubelet/device-plugins/kubelet.sock`
  record WaitingForKubelet(String reason) implements PluginState {}

  /// The kubelet took the registration but has not opened ListAndWatch yet.
  record Registered() implements PluginState {}

  /// The kubelet watches the list: its devices can be allocated.
  record Listed() implements PluginState {}

  /// Withdrawn; nothing follows.
  record Closed() implements PluginState {}
}
