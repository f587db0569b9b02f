/// Both sides of the wire for the tests of plugin authors. [EmbeddedKubelet] gives a test a
/// [TestKubelet]: a whole kubelet side in a temporary directory, which does on command what
/// kubelets do to plugins. [PluginContract] is what a plugin has to pass, judged by a
/// [ScriptedKubelet]; [KubeletContract] and [RegistryContract] what a kubelet has to, judged by a
/// [ScriptedPlugin].
///
/// The scripted sides speak in the generated messages, so that a test can say and see what no
/// honest peer would. Nothing but tests may depend on this package.
@NullMarked
package dev.patchbay.testkit;

import org.jspecify.annotations.NullMarked;
