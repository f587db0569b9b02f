package dev.patchbay.agent.config;

import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Words without quotes that mean something else when they come through Helm, which reads YAML 1.1
/// and writes what it has read: `0407` arrives as 263, `no` as false.
final class HelmScalars {
  private static final Pattern NUMBER_LIKE =
      Pattern.compile(
          "[-+]?(\\d[\\d_]*(\\.[\\d_]*)?([eE][-+]?\\d+)?|0[xobXOB][\\da-fA-F_]+|\\.\\d+)");
  private static final Pattern DECIMAL = Pattern.compile("-?(0|[1-9]\\d{0,14})");
  private static final Pattern WORD = Pattern.compile("(?i:y|n|yes|no|on|off)");

  private HelmScalars() {}

  static void check(Problems problems, String key, Node node) {
    switch (node) {
      case MappingNode mapping -> {
        for (NodeTuple entry : mapping.getValue())
          if (entry.getKeyNode() instanceof ScalarNode name)
            check(problems, key + "." + name.getValue(), entry.getValueNode());
      }
      case SequenceNode list -> {
        for (int i = 0; i < list.getValue().size(); i++)
          check(problems, key + "[" + i + "]", list.getValue().get(i));
      }
      case ScalarNode scalar -> {
        if (scalar.getScalarStyle() == ScalarStyle.PLAIN && meansSomethingElse(scalar.getValue()))
          problems.add(
              scalar,
              key,
              "is "
                  + scalar.getValue()
                  + ", which Helm takes for something else; needed are quotes");
      }
      default -> {
        // An alias leads to a node that is checked where it stands.
      }
    }
  }

  private static boolean meansSomethingElse(String value) {
    return WORD.matcher(value).matches()
        || (NUMBER_LIKE.matcher(value).matches() && !DECIMAL.matcher(value).matches());
  }
}
