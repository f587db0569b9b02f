/// The Container Device Interface: files in which a vendor says what a container needs to use its
/// devices. Start at [CdiRegistry], which reads the spec directories and turns device names into
/// edits; [CdiSpecFile] reads and writes one file.
///
/// | directory | whose | strength |
/// |---|---|---|
/// | `/etc/cdi` | the administrator's | weaker |
/// | `/var/run/cdi` | made at run time | stronger |
///
/// Facts come from the CDI specification (`SPEC.md` of cncf-tags/container-device-interface,
/// versions 0.3.0 to 1.0.0). YAML is read by snakeyaml-engine, which nobody outside this package
/// sees; JSON is read as YAML and written by ourselves. Used by the node (to resolve names) and by
/// drivers (to write files).
@NullMarked
package dev.patchbay.cdi;

import org.jspecify.annotations.NullMarked;
