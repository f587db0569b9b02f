/// The kubelet's second way to find plugins: sockets that lie in `plugins_registry` are asked who
/// they are, and what they say is given to the handler of their kind. Start at [PluginWatcher].
///
/// | type | is |
/// |---|---|
/// | `RegistryTree` | the sockets that lie there now |
/// | `RegistryState` | which of them should be registered, which are, what has to be done next |
/// | `PluginRegistration` | the calls to one socket |
/// | [PluginHandler] | who takes plugins of one kind; knows nothing of sockets in a registry |
///
/// Behaviour and texts are those of `pkg/kubelet/pluginmanager` of Kubernetes 1.36.
@NullMarked
package dev.patchbay.kubelet.pluginwatcher;

import org.jspecify.annotations.NullMarked;
