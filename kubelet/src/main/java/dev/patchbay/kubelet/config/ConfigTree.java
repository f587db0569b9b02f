package dev.patchbay.kubelet.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.pods.ManifestDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// The fields of a configuration by their paths, from a file and from options over it, and what is
/// wrong with them. A value that cannot be used is a problem and counts as absent, so that reading
/// goes on.
final class ConfigTree {
  private final ObjectNode root;
  private final Function<String, String> placeInFile;
  private final Map<String, String> options = new HashMap<>();
  private final List<ConfigProblem> problems = new ArrayList<>();
  private final Set<String> taken = new HashSet<>();

  private ConfigTree(ObjectNode root, Function<String, String> placeInFile) {
    this.root = root;
    this.placeInFile = placeInFile;
  }

  /// That of a file. What is no mapping is an empty one, and a problem.
  static ConfigTree of(String file, String text) {
    List<ConfigProblem> found = new ArrayList<>();
    List<ManifestDocument> documents =
        ManifestDocument.all(
            text, (line, field, why) -> found.add(new ConfigProblem(at(file, line), field, why)));
    ObjectNode root =
        !documents.isEmpty() && documents.getFirst().root() instanceof ObjectNode object
            ? object
            : empty();
    var tree =
        new ConfigTree(
            root, field -> documents.isEmpty() ? file : at(file, documents.getFirst().line(field)));
    tree.problems.addAll(found);
    if (documents.size() > 1)
      tree.add(at(file, documents.get(1).line("")), "is a second document; needed is one");
    else if (!documents.isEmpty() && !(documents.getFirst().root() instanceof ObjectNode))
      tree.problem("", "is no mapping; needed is a KubeletConfiguration");
    else if (documents.isEmpty() && found.isEmpty())
      tree.problem("", "is empty; needed is a KubeletConfiguration");
    return tree;
  }

  /// One without a file.
  static ConfigTree ofOptions() {
    return new ConfigTree(empty(), _ -> "");
  }

  private static ObjectNode empty() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static String at(String file, int line) {
    return line > 0 ? file + ":" + line : file;
  }

  /// What a field is when nothing says it.
  void suppose(String field, String value) {
    if (!root.has(field)) root.put(field, value);
  }

  /// An option says this of a field.
  void set(String option, String field, JsonNode value) {
    options.put(field, option);
    root.set(field, value);
  }

  /// An option says this of one entry of a field that is a mapping.
  void set(String option, String field, String entry, JsonNode value) {
    if (!(root.get(field) instanceof ObjectNode)) root.set(field, empty());
    options.put(ManifestDocument.at(field, entry), option);
    ((ObjectNode) root.get(field)).set(entry, value);
  }

  /// Says what is wrong with a field.
  void problem(String field, String why) {
    Optional<String> option = Optional.ofNullable(options.get(field));
    if (option.isEmpty()) option = Optional.ofNullable(options.get(topOf(field)));
    if (option.isPresent()) problems.add(new ConfigProblem(option.get(), withinTop(field), why));
    else problems.add(new ConfigProblem(placeInFile.apply(field), field, why));
  }

  /// Says what is wrong with what an option says.
  void add(String option, String why) {
    problems.add(new ConfigProblem(option, "", why));
  }

  private static String topOf(String field) {
    return field.replaceFirst("[.\\[].*", "");
  }

  private static String withinTop(String field) {
    return field.substring(topOf(field).length()).replaceFirst("^\\.", "");
  }

  List<ConfigProblem> problems() {
    return problems;
  }

  /// Where a field stands, for a line about it.
  String place(String field) {
    return placeInFile.apply(field);
  }

  /// The fields at the top that nobody took.
  List<String> untaken() {
    List<String> names = new ArrayList<>();
    root.fieldNames().forEachRemaining(names::add);
    names.removeAll(taken);
    return names;
  }

  private Optional<JsonNode> take(String field) {
    taken.add(field);
    return Optional.ofNullable(root.get(field)).filter(value -> !value.isNull());
  }

  /// A text; empty when it is absent or empty, as upstream takes both for its default.
  Optional<String> text(String field) {
    return take(field).flatMap(value -> text(field, value)).filter(text -> !text.isEmpty());
  }

  private Optional<String> text(String field, JsonNode value) {
    if (value.isTextual()) return Optional.of(value.textValue());
    problem(field, "is " + shown(value) + "; needed is a text");
    return Optional.empty();
  }

  /// One of these words; the first when it is absent.
  String word(String field, List<String> words) {
    return text(field)
        .filter(word -> {
          boolean known = words.contains(word);
          if (!known)
            problem(
                field, "is \"%s\"; needed is one of %s".formatted(word, String.join(", ", words)));
          return known;
        })
        .orElse(words.getFirst());
  }

  /// A whole number that is not negative; empty when it is absent.
  Optional<Integer> count(String field) {
    return take(field)
        .flatMap(value -> {
          if (value.canConvertToInt() && value.isIntegralNumber() && value.intValue() >= 0)
            return Optional.of(value.intValue());
          problem(
              field,
              "is %s; needed is a whole number from 0 to %d"
                  .formatted(shown(value), Integer.MAX_VALUE));
          return Optional.empty();
        });
  }

  /// True or false; false when it is absent.
  boolean flag(String field) {
    return take(field).flatMap(value -> flag(field, value)).orElse(false);
  }

  private Optional<Boolean> flag(String field, JsonNode value) {
    if (value.isBoolean()) return Optional.of(value.booleanValue());
    problem(field, "is " + shown(value) + "; needed is true or false");
    return Optional.empty();
  }

  /// A mapping of names to true or false.
  SortedMap<String, Boolean> flags(String field) {
    SortedMap<String, Boolean> flags = new TreeMap<>();
    entries(field, take(field))
        .forEach((name, value) ->
            flag(ManifestDocument.at(field, name), value).ifPresent(flag -> flags.put(name, flag)));
    return flags;
  }

  /// A mapping of names to texts; empty when it is absent.
  Optional<SortedMap<String, String>> texts(String field) {
    Optional<JsonNode> given = take(field);
    if (given.isEmpty()) return Optional.empty();
    SortedMap<String, String> texts = new TreeMap<>();
    entries(field, given)
        .forEach((name, value) ->
            text(ManifestDocument.at(field, name), value).ifPresent(text -> texts.put(name, text)));
    return Optional.of(texts);
  }

  /// The entries of a mapping by name.
  SortedMap<String, JsonNode> entries(String field, Optional<JsonNode> mapping) {
    SortedMap<String, JsonNode> entries = new TreeMap<>();
    if (mapping.isEmpty()) return entries;
    if (mapping.get().isObject())
      mapping.get().properties().forEach(each -> entries.put(each.getKey(), each.getValue()));
    else problem(field, "is " + shown(mapping.get()) + "; needed is a mapping");
    return entries;
  }

  /// The items of a list.
  List<JsonNode> items(String field) {
    Optional<JsonNode> given = take(field);
    List<JsonNode> items = new ArrayList<>();
    if (given.isEmpty()) return items;
    if (given.get().isArray()) given.get().forEach(items::add);
    else problem(field, "is " + shown(given.get()) + "; needed is a list");
    return items;
  }

  static String shown(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT, POJO -> "a mapping";
      case ARRAY -> "a list";
      case NULL, MISSING -> "nothing";
      case STRING -> "\"" + value.textValue() + "\"";
      case BOOLEAN, NUMBER, BINARY -> value.asText();
    };
  }
}
