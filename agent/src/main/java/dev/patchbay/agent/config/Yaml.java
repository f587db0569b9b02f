package dev.patchbay.agent.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Looks into documents that are not ours to judge: what has another shape is not there.
final class Yaml {
  private Yaml() {}

  /// A mapping's values by key, the first of each.
  static SequencedMap<String, Node> entries(Node node) {
    SequencedMap<String, Node> entries = new LinkedHashMap<>();
    if (node instanceof MappingNode mapping)
      for (NodeTuple entry : mapping.getValue())
        if (entry.getKeyNode() instanceof ScalarNode key)
          entries.putIfAbsent(key.getValue(), entry.getValueNode());
    return entries;
  }

  static Optional<Node> value(Node node, String key) {
    return Optional.ofNullable(entries(node).get(key));
  }

  static Optional<String> text(Node node) {
    return node instanceof ScalarNode scalar && !isNull(node)
        ? Optional.of(scalar.getValue())
        : Optional.empty();
  }

  static List<Node> items(Optional<Node> node) {
    return node.isPresent() && node.get() instanceof SequenceNode list
        ? list.getValue()
        : List.of();
  }

  static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }
}
