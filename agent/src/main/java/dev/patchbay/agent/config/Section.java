package dev.patchbay.agent.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// One mapping of the file, taken key by key: what was not taken at the end is unknown. A value
/// that cannot be used becomes a problem and counts as absent, so that reading goes on.
final class Section {
  private static final Pattern DURATION = Pattern.compile("(?:(\\d{1,6})(ms|s|m|h))+");
  private static final Pattern DURATION_PART = Pattern.compile("(\\d{1,6})(ms|s|m|h)");

  private final Problems problems;
  private final String key;
  private final Node node;
  private final int problemsBefore;
  private final Map<String, Node> entries = new LinkedHashMap<>();
  private final Map<String, Node> keys = new LinkedHashMap<>();
  private final List<String> known = new ArrayList<>();

  private Section(Problems problems, String key, Node node) {
    this.problems = problems;
    this.key = key;
    this.node = node;
    problemsBefore = problems.size();
  }

  /// Reads a mapping; `key:` with nothing behind it is an empty one.
  static Optional<Section> of(Problems problems, String key, Node node) {
    var section = new Section(problems, key, node);
    if (isNull(node)) return Optional.of(section);
    if (!(node instanceof MappingNode mapping)) {
      problems.add(node, key, "is " + what(node) + "; needed is a mapping of keys to values");
      return Optional.empty();
    }
    for (NodeTuple entry : mapping.getValue()) section.add(entry);
    return Optional.of(section);
  }

  private void add(NodeTuple entry) {
    if (!(entry.getKeyNode() instanceof ScalarNode name)) {
      problems.add(entry.getKeyNode(), key, "has a key that is no text");
      return;
    }
    String at = at(name.getValue());
    if (keys.putIfAbsent(name.getValue(), name) != null)
      problems.add(name, at, "is given twice; needed is once");
    else entries.put(name.getValue(), entry.getValueNode());
  }

  private String at(String name) {
    return key.isEmpty() ? name : key + "." + name;
  }

  /// Whether the file has this key, with or without a value.
  boolean has(String name) {
    return keys.containsKey(name);
  }

  private Optional<Node> take(String name) {
    known.add(name);
    problems.know(at(name));
    return Optional.ofNullable(entries.get(name));
  }

  private Optional<Node> takeValue(String name) {
    return take(name)
        .filter(value -> {
          if (isNull(value)) problems.add(value, at(name), "has no value");
          return !isNull(value);
        });
  }

  private Optional<ScalarNode> scalar(String name, String needed) {
    return takeValue(name)
        .flatMap(value -> {
          if (value instanceof ScalarNode scalar) return Optional.of(scalar);
          problems.add(value, at(name), "is " + what(value) + "; needed is " + needed);
          return Optional.empty();
        });
  }

  /// Text, also when it looks like a number.
  Optional<String> text(String name) {
    return scalar(name, "text").map(scalar -> scalar.getValue().strip());
  }

  /// Text that has to be there.
  Optional<String> requiredText(String name) {
    if (!has(name)) missing(name);
    return text(name)
        .filter(text -> {
          if (text.isEmpty()) problem(name, "is empty");
          return !text.isEmpty();
        });
  }

  void missing(String name) {
    known.add(name);
    problems.know(at(name));
    problems.add(node, at(name), "is missing");
  }

  /// A whole number in decimal digits.
  int number(String name, int otherwise, int least, int most) {
    String needed = "a whole number from " + least + " to " + most;
    return scalar(name, needed)
        .map(scalar -> {
          if (scalar.getTag().equals(Tag.INT) && scalar.getValue().matches("[0-9]{1,9}")) {
            int value = Integer.parseInt(scalar.getValue());
            if (value >= least && value <= most) return value;
          }
          problem(name, "is " + shown(scalar) + "; needed is " + needed);
          return otherwise;
        })
        .orElse(otherwise);
  }

  /// A number of 16 bits, always read as hexadecimal: `1050`, `"1050"` and `0x1050` are the same.
  Optional<Integer> hex16(String name) {
    if (!has(name)) missing(name);
    return scalar(name, "up to four hexadecimal digits")
        .flatMap(scalar -> {
          String digits = scalar.getValue().replaceFirst("^0[xX]", "");
          if (digits.matches("[0-9a-fA-F]{1,4}")) return Optional.of(Integer.parseInt(digits, 16));
          problem(name, "is " + shown(scalar) + "; needed are up to four hexadecimal digits");
          return Optional.empty();
        });
  }

  /// `true` or `false`.
  boolean flag(String name, boolean otherwise) {
    return scalar(name, "true or false")
        .map(scalar -> {
          if (scalar.getTag().equals(Tag.BOOL)) return Boolean.parseBoolean(scalar.getValue());
          problem(name, "is " + shown(scalar) + "; needed is true or false");
          return otherwise;
        })
        .orElse(otherwise);
  }

  /// A time with its unit: `500ms`, `10s`, `5m`, `1h30m`.
  Duration duration(String name, Duration otherwise, Duration least) {
    String needed = "a time with its unit, such as 500ms, 10s, 5m or 1h30m";
    return scalar(name, needed)
        .map(scalar -> {
          if (!DURATION.matcher(scalar.getValue()).matches()) {
            problem(name, "is " + shown(scalar) + "; needed is " + needed);
            return otherwise;
          }
          Duration time = parseDuration(scalar.getValue());
          if (time.compareTo(least) >= 0) return time;
          problem(
              name, "is " + scalar.getValue() + "; at least " + least.toMillis() + "ms is needed");
          return otherwise;
        })
        .orElse(otherwise);
  }

  private static Duration parseDuration(String text) {
    Duration sum = Duration.ZERO;
    Matcher part = DURATION_PART.matcher(text);
    while (part.find()) {
      long number = Long.parseLong(part.group(1));
      sum =
          sum.plus(
              switch (part.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                default -> Duration.ofHours(number);
              });
    }
    return sum;
  }

  /// One of some words.
  <T> T choice(String name, Map<String, T> words, T otherwise) {
    return scalar(name, "one of " + String.join(", ", words.keySet()))
        .flatMap(scalar -> chosen(name, scalar, words))
        .orElse(otherwise);
  }

  private <T> Optional<T> chosen(String at, Node value, Map<String, T> words) {
    if (value instanceof ScalarNode scalar && words.containsKey(scalar.getValue()))
      return Optional.of(words.get(scalar.getValue()));
    String found = value instanceof ScalarNode scalar ? shown(scalar) : what(value);
    String near =
        value instanceof ScalarNode scalar
            ? Nearest.to(scalar.getValue(), words.keySet())
                .map(word -> "; " + word + " is near")
                .orElse("")
            : "";
    problems.add(
        value,
        at(at),
        "is " + found + "; needed is one of " + String.join(", ", words.keySet()) + near);
    return Optional.empty();
  }

  /// A list of some words, each at most once; empty when the key is absent.
  <T> Optional<List<T>> choices(String name, Map<String, T> words) {
    return items(name)
        .map(items -> {
          List<T> all = new ArrayList<>();
          for (int i = 0; i < items.size(); i++) {
            String at = name + "[" + i + "]";
            Optional<T> one = chosen(at, items.get(i), words);
            if (one.isPresent() && all.contains(one.get()))
              problems.add(items.get(i), at(at), "stands there twice");
            else one.ifPresent(all::add);
          }
          return all;
        });
  }

  private Optional<List<Node>> items(String name) {
    return takeValue(name)
        .flatMap(value -> {
          if (value instanceof SequenceNode sequence) return Optional.of(sequence.getValue());
          problems.add(value, at(name), "is " + what(value) + "; needed is a list");
          return Optional.empty();
        });
  }

  /// A section below this one; empty when it is absent or wrong.
  <T> Optional<T> section(String name, Function<Section, Optional<T>> reader) {
    return take(name).flatMap(value -> of(problems, at(name), value)).flatMap(reader);
  }

  /// A list of sections, without those that are wrong.
  <T> List<T> sections(String name, Function<Section, Optional<T>> reader) {
    List<T> all = new ArrayList<>();
    List<Node> items = items(name).orElse(List.of());
    for (int i = 0; i < items.size(); i++)
      of(problems, at(name) + "[" + i + "]", items.get(i)).flatMap(reader).ifPresent(all::add);
    return all;
  }

  /// Says what is wrong with a value of this section.
  void problem(String name, String message) {
    problems.add(entries.getOrDefault(name, node), at(name), message);
  }

  /// Says what is wrong with this section as a whole.
  void problem(String message) {
    problems.add(node, key, message);
  }

  /// Ends this section: keys that nobody took are unknown. Makes its value when nothing in it, or
  /// below it, is wrong; what the value itself does not accept is a problem of the section.
  <T> Optional<T> end(Supplier<T> value) {
    boolean incomplete = problems.size() > problemsBefore;
    keys.forEach((name, at) -> {
      if (!known.contains(name)) problems.add(at, at(name), unknown(name));
    });
    if (incomplete) return Optional.empty();
    try {
      return Optional.of(value.get());
    } catch (IllegalArgumentException e) {
      problem(String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private String unknown(String name) {
    return "is no known key; "
        + Nearest.to(name, known)
            .map(near -> "did you mean " + near + "?")
            .orElse("known are " + String.join(", ", known.stream().sorted().toList()));
  }

  private static boolean isNull(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static String shown(ScalarNode scalar) {
    return "\"" + scalar.getValue() + "\"";
  }

  private static String what(Node node) {
    return switch (node) {
      case MappingNode _ -> "a mapping";
      case SequenceNode _ -> "a list";
      case ScalarNode scalar -> isNull(scalar) ? "nothing" : shown(scalar);
      default -> "something else";
    };
  }
}
