package dev.patchbay.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Kubernetes' `$(NAME)` in commands, arguments and variables: the variable's value; `$$` is a
/// plain `$`, and a name that is not known stays as it is written
/// (`third_party/forked/golang/expansion`).
final class Expansion {
  private Expansion() {}

  static String expand(String text, Map<String, String> variables) {
    StringBuilder expanded = new StringBuilder();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c != '$' || i + 1 == text.length()) {
        expanded.append(c);
        i++;
        continue;
      }
      int close = text.charAt(i + 1) == '(' ? text.indexOf(')', i) : -1;
      if (close > 0) {
        String name = text.substring(i + 2, close);
        expanded.append(variables.getOrDefault(name, "$(" + name + ")"));
        i = close + 1;
      } else if (text.charAt(i + 1) == '$') {
        expanded.append('$');
        i += 2;
      } else {
        expanded.append(c).append(text.charAt(i + 1));
        i += 2;
      }
    }
    return expanded.toString();
  }

  static List<String> expand(List<String> texts, Map<String, String> variables) {
    return texts.stream().map(text -> expand(text, variables)).toList();
  }

  /// Each value may speak of the variables before it.
  static SequencedMap<String, String> expandInOrder(SequencedMap<String, String> variables) {
    SequencedMap<String, String> expanded = new LinkedHashMap<>();
    variables.forEach((name, value) -> expanded.put(name, expand(value, expanded)));
    return expanded;
  }
}
