/// Both sides of the wire for the tests of plugin authors. [PluginContract] is what a plugin has to
/// pass, judged by a [ScriptedKubelet]; [EmbeddedKubelet] is a whole device manager in a temporary
/// directory, which passes [KubeletContract], judged by a [ScriptedPlugin].
///
/// The scripted sides speak in the generated messages, so that a test can say and see what no
/// honest peer would. Nothing but tests may depend on this package.
@NullMarked
package dev.patchbay.testkit;

import org.jspecify.annotations.NullMarked;
