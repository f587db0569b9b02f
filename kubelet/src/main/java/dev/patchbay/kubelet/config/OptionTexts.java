package dev.patchbay.kubelet.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.topology.BooleanOption;

/// Puts what options say where the file would say it. Their texts are those of the kubelet's own
/// options.
final class OptionTexts {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final ConfigTree tree;

  OptionTexts(ConfigTree tree) {
    this.tree = tree;
  }

  void put(ConfigOption option) {
    switch (option.field()) {
      case "maxPods", "podsPerCore" -> putNumber(option);
      case "featureGates" -> putGates(option);
      case "reservedMemory" -> putReservedMemory(option);
      case "topologyManagerPolicyOptions",
          "cpuManagerPolicyOptions",
          "systemReserved",
          "kubeReserved" ->
          tree.set(option.option(), option.field(), mapping(option, option.text()));
      default -> tree.set(option.option(), option.field(), NODES.textNode(option.text()));
    }
  }

  private void putNumber(ConfigOption option) {
    if (option.text().matches("[0-9]{1,9}"))
      tree.set(option.option(), option.field(), NODES.numberNode(Integer.parseInt(option.text())));
    else wrong(option, option.text(), "a whole number");
  }

  private void putGates(ConfigOption option) {
    for (var gate : mapping(option, option.text()).properties()) {
      String value = gate.getValue().textValue();
      try {
        boolean on = BooleanOption.parse(gate.getKey(), value);
        tree.set(option.option(), option.field(), gate.getKey(), NODES.booleanNode(on));
      } catch (IllegalArgumentException e) {
        wrong(option, gate.getKey() + "=" + value, "true or false");
      }
    }
  }

  /// `0:memory=1Gi,hugepages-2Mi=1Gi;1:memory=2Gi`.
  private void putReservedMemory(ConfigOption option) {
    ArrayNode nodes = NODES.arrayNode();
    for (String part : option.text().split(";", -1)) {
      int colon = part.indexOf(':');
      if (colon < 0 || !part.substring(0, colon).matches("[0-9]{1,4}")) {
        wrong(option, part, "a NUMA node and its memory, such as 0:memory=1Gi");
        continue;
      }
      ObjectNode node = nodes.addObject();
      node.put("numaNode", Integer.parseInt(part.substring(0, colon)));
      node.set("limits", mapping(option, part.substring(colon + 1)));
    }
    tree.set(option.option(), option.field(), nodes);
  }

  private ObjectNode mapping(ConfigOption option, String text) {
    ObjectNode mapping = NODES.objectNode();
    if (text.isEmpty()) return mapping;
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0)
        mapping.set(part.substring(0, equals).strip(), text(part.substring(equals + 1)));
      else wrong(option, part, "name=value");
    }
    return mapping;
  }

  private static JsonNode text(String text) {
    return NODES.textNode(text.strip());
  }

  private void wrong(ConfigOption option, String found, String needed) {
    tree.add(option.option(), "is \"%s\"; needed is %s".formatted(found, needed));
  }
}
