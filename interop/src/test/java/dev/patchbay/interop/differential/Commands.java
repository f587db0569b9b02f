package dev.patchbay.interop.differential;

import java.util.List;

/// The programs that are compared.
final class Commands {
  private Commands() {}

  /// The embedded kubelet as it is shipped, or what the property `differential.ours` says.
  static List<String> ours() {
    return command(
        "differential.ours",
        System.getProperty("patchbay.home") + "/bin/patchbay kubelet --control");
  }

  /// The part that `interop/parts` builds, or what the property `differential.reference` says.
  static List<String> reference() {
    return command(
        "differential.reference",
        System.getProperty("patchbay.interop.parts") + "/reference-kubelet");
  }

  private static List<String> command(String property, String otherwise) {
    return List.of(System.getProperty(property, otherwise).split(" "));
  }
}
