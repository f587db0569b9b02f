/// How plugins come and are talked to: the Registration services on `kubelet.sock`, the connection
/// to a plugin in the version of the API that it speaks, the directory of sockets. Start at
/// [RegistrationServer] and [RegistryPlugins], the two ways to a [PluginConnection].
@NullMarked
package dev.patchbay.kubelet.registration;

import org.jspecify.annotations.NullMarked;
