package dev.patchbay.kubelet.topology;

import java.util.Map;

/// The options of the topology manager, understood as the kubelet understands them.
///
/// @param preferClosest whether of sets with as many nodes the one with the shortest distances is
///   better
/// @param maxNodes how many NUMA nodes a machine may have
record PolicyOptions(boolean preferClosest, int maxNodes) {
  private static final String PREFER_CLOSEST = "prefer-closest-numa-nodes";
  private static final String MAX_NODES = "max-allowable-numa-nodes";
  private static final int DEFAULT_MAX_NODES = 8;

  /// The options of these settings, in the order of their names.
  ///
  /// @throws IllegalArgumentException with the kubelet's text about the first wrong one
  static PolicyOptions of(TopologySettings settings) {
    boolean preferClosest = false;
    int maxNodes = DEFAULT_MAX_NODES;
    for (Map.Entry<String, String> option : settings.options().entrySet()) {
      switch (option.getKey()) {
        case PREFER_CLOSEST ->
            preferClosest = BooleanOption.parse(PREFER_CLOSEST, option.getValue());
        case MAX_NODES -> {
          if (!settings.betaOptions())
            throw new IllegalArgumentException(
                "topology manager policy beta-level options not enabled, but option "
                    + quoted(MAX_NODES)
                    + " provided");
          maxNodes = parseMaxNodes(option.getValue());
        }
        default ->
            throw new IllegalArgumentException(
                "unknown Topology Manager Policy option: " + quoted(option.getKey()));
      }
    }
    return new PolicyOptions(preferClosest, maxNodes);
  }

  private static int parseMaxNodes(String value) {
    if (!value.matches("[+-]?[0-9]+")) throw notAnInteger(value, "invalid syntax");
    long number;
    try {
      number = Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw notAnInteger(value, "value out of range");
    }
    if (number < DEFAULT_MAX_NODES)
      throw new IllegalArgumentException(
          "the minimum value of %s should not be less than %d"
              .formatted(quoted(MAX_NODES), DEFAULT_MAX_NODES));
    return (int) Math.min(number, Integer.MAX_VALUE);
  }

  private static IllegalArgumentException notAnInteger(String value, String why) {
    return new IllegalArgumentException(
        "unable to convert policy option to integer %s: strconv.Atoi: parsing %s: %s"
            .formatted(quoted(MAX_NODES), quoted(value), why));
  }

  /// As Go's `%q` writes what can be printed.
  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
