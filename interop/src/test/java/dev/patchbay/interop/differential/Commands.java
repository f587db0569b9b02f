package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

  /// What the embedded kubelet is told beside what both are told: which version of Kubernetes it
  /// follows. The newest that it knows is also that of newer ones.
  static ObjectNode ownSettings() {
    String version = System.getProperty("patchbay.interop.kubernetes", "");
    ObjectNode own = JsonNodeFactory.instance.objectNode();
    for (String minor : List.of("1.34", "1.35"))
      if (version.startsWith("v" + minor + ".")) own.put("kubernetes", minor);
    return own;
  }

  private static List<String> command(String property, String otherwise) {
    return List.of(System.getProperty(property, otherwise).split(" "));
  }
}
