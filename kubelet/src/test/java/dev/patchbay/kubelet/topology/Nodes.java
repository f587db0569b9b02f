package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Short ways to write masks, hints and devices in tables.
final class Nodes {
  private Nodes() {}

  /// `0 3`.
  static NumaMask mask(String text) {
    return NumaMask.of(numbers(text, " "));
  }

  private static List<Integer> numbers(String text, String separator) {
    return text.isBlank()
        ? List.of()
        : Stream.of(text.strip().split(separator, -1)).map(Integer::valueOf).toList();
  }

  /// `0! 1! 0+1 any`: those with `!` are preferred; `any` has no mask and is preferred, `none` is
  /// not.
  static List<TopologyHint> hints(String text) {
    List<TopologyHint> hints = new ArrayList<>();
    if (!text.isBlank()) for (String word : text.strip().split(" ", -1)) hints.add(hint(word));
    return hints;
  }

  static TopologyHint hint(String word) {
    return switch (word) {
      case "any" -> TopologyHint.ANY;
      case "none" -> TopologyHint.NONE;
      default -> {
        var mask = NumaMask.of(numbers(word.replace("!", ""), "\\+"));
        yield word.endsWith("!") ? TopologyHint.preferred(mask) : TopologyHint.possible(mask);
      }
    };
  }

  /// As in [#hints].
  static String text(List<TopologyHint> hints) {
    return String.join(" ", hints.stream().map(Nodes::text).toList());
  }

  static String text(TopologyHint hint) {
    if (hint.mask().isEmpty()) return hint.preferred() ? "any" : "none";
    var nodes = hint.mask().get().nodes().stream().map(String::valueOf).toList();
    return String.join("+", nodes) + (hint.preferred() ? "!" : "");
  }

  /// `4@0 2@0+1 1@-`: four devices on node 0, two on both, one on none.
  static NodeCounts devices(String text) {
    var tally = new NodeCounts.Tally();
    if (!text.isBlank())
      for (String word : text.strip().split(" ", -1)) {
        String[] parts = word.split("@", -1);
        for (int i = Integer.parseInt(parts[0]); i > 0; i--)
          tally.add(parts[1].equals("-") ? List.of() : numbers(parts[1], "\\+"));
      }
    return tally.counts();
  }

  /// One source: a resource for each part between `;`. `-` is one without a preference.
  static SortedMap<String, Optional<List<TopologyHint>>> answer(String text) {
    SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
    if (text.isEmpty()) return answer;
    String[] resources = text.split(";", -1);
    for (int i = 0; i < resources.length; i++)
      answer.put(
          "resource-" + i,
          resources[i].strip().equals("-") ? Optional.empty() : Optional.of(hints(resources[i])));
    return answer;
  }
}
