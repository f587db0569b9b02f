/// How plugins come and are talked to: the Registration service on `kubelet.sock`, the connection
/// to a plugin, the directory of sockets. Start at [RegistrationServer].
@NullMarked
package dev.patchbay.kubelet.registration;

import org.jspecify.annotations.NullMarked;
