package dev.patchbay.cdi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Typed access to a parsed file; what has the wrong type becomes a problem and reads as absent.
final class SpecNodes {
  private final Set<String> problems = new LinkedHashSet<>();

  List<String> problems() {
    return List.copyOf(problems);
  }

  void problem(Node node, String at, String why) {
    int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    problems.add("line " + line + ": " + (at.isEmpty() ? "" : at + ": ") + why);
  }

  /// The fields of a mapping; a field that is not among the known ones, or comes twice, is a
  /// problem.
  Map<String, Node> fields(Node node, String at, Set<String> known) {
    Map<String, Node> fields = new LinkedHashMap<>();
    if (node.getTag().equals(Tag.NULL)) return fields;
    if (!(node instanceof MappingNode mapping)) {
      problem(node, at, "has to be a mapping");
      return fields;
    }
    for (NodeTuple entry : mapping.getValue()) {
      String key = entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
      String field = at.isEmpty() ? key : at + "." + key;
      if (!known.isEmpty() && !known.contains(key))
        problem(entry.getKeyNode(), field, "is not a field; there are " + String.join(", ", known));
      else if (fields.putIfAbsent(key, entry.getValueNode()) != null)
        problem(entry.getKeyNode(), field, "is given twice");
    }
    return fields;
  }

  String text(@Nullable Node node, String at) {
    if (node == null || node.getTag().equals(Tag.NULL)) return "";
    if (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.STR))
      return scalar.getValue();
    problem(node, at, "has to be text");
    return "";
  }

  /// A whole number, or -1 when absent; a leading zero means octal, as in YAML 1.1.
  long number(@Nullable Node node, String at, long largest) {
    if (node == null || node.getTag().equals(Tag.NULL)) return -1;
    if (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.INT)) {
      try {
        long number = Long.decode(scalar.getValue().replaceFirst("^0o", "0"));
        if (number >= 0 && number <= largest) return number;
      } catch (NumberFormatException e) {
        problem(node, at, "is " + scalar.getValue() + "; needed is 0 to " + largest);
        return -1;
      }
    }
    problem(node, at, "has to be a whole number from 0 to " + largest);
    return -1;
  }

  @Nullable Boolean flag(@Nullable Node node, String at) {
    if (node == null || node.getTag().equals(Tag.NULL)) return null;
    if (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.BOOL))
      return Boolean.valueOf(scalar.getValue());
    problem(node, at, "has to be true or false");
    return null;
  }

  <T> List<T> list(@Nullable Node node, String at, BiFunction<Node, String, T> item) {
    List<T> items = new ArrayList<>();
    if (node == null || node.getTag().equals(Tag.NULL)) return items;
    if (node instanceof SequenceNode sequence)
      for (Node value : sequence.getValue())
        items.add(item.apply(value, at + "[" + items.size() + "]"));
    else problem(node, at, "has to be a list");
    return items;
  }

  List<String> texts(@Nullable Node node, String at) {
    return list(node, at, this::text);
  }

  Map<String, String> textMap(@Nullable Node node, String at) {
    Map<String, String> values = new LinkedHashMap<>();
    if (node != null)
      fields(node, at, Set.of())
          .forEach((key, value) -> values.put(key, text(value, at + "." + key)));
    return values;
  }
}
