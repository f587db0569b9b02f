/// What turns the assembled distribution into packages: pages and completions made from the
/// commands, and the archives that are shipped. Runs at the build only; nothing depends on it and
/// nothing of it is shipped. Start at [Packages] and [Documents].
///
/// Every archive is written by this package itself and not by tools of the building machine: order,
/// owners, modes, times and compression are then the same wherever it is built. Formats: POSIX
/// `ustar`; deb(5); the OCI image specification 1.1, files `image-layout.md`, `manifest.md`,
/// `config.md` and `layer.md`.
@NullMarked
package dev.patchbay.dist;

import org.jspecify.annotations.NullMarked;
