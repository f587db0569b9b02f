package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The members of a JSON object, read with the type that is needed. A member that is `null` counts
/// as absent.
///
/// @param where how messages name the object: `start: config`
record Arguments(String where, JsonNode object) {
  /// The object itself.
  ///
  /// @throws WrongRequest when it is something else
  static Arguments of(String where, JsonNode node) throws WrongRequest {
    if (!node.isObject()) throw wrong(where, node, "an object");
    return new Arguments(where, node);
  }

  /// Refuses members that nothing reads, so that a misspelt one is noticed.
  void refuseOthers(String... known) throws WrongRequest {
    Set<String> names = Set.of(known);
    for (String name : (Iterable<String>) object::fieldNames)
      if (!names.contains(name))
        throw new WrongRequest(
            "%s has \"%s\", which is unknown; known are %s"
                .formatted(where, name, String.join(", ", Arrays.stream(known).sorted().toList())));
  }

  boolean has(String name) {
    return object.hasNonNull(name);
  }

  /// Any value that has to be there.
  JsonNode needed(String name, String what) throws WrongRequest {
    if (!has(name))
      throw new WrongRequest("%s has no \"%s\"; needed is %s".formatted(where, name, what));
    return object.get(name);
  }

  String text(String name) throws WrongRequest {
    JsonNode found = needed(name, "a text");
    if (!found.isTextual()) throw wrong(name(name), found, "a text");
    return found.textValue();
  }

  Optional<String> optionalText(String name) throws WrongRequest {
    return has(name) ? Optional.of(text(name)) : Optional.empty();
  }

  boolean flag(String name, boolean otherwise) throws WrongRequest {
    if (!has(name)) return otherwise;
    JsonNode found = object.get(name);
    if (!found.isBoolean()) throw wrong(name(name), found, "true or false");
    return found.booleanValue();
  }

  long whole(String name, long otherwise) throws WrongRequest {
    return has(name) ? whole(name) : otherwise;
  }

  long whole(String name) throws WrongRequest {
    JsonNode found = needed(name, "a whole number");
    if (!found.isIntegralNumber() || !found.canConvertToLong())
      throw wrong(name(name), found, "a whole number");
    return found.longValue();
  }

  double number(String name) throws WrongRequest {
    JsonNode found = needed(name, "a number");
    if (!found.isNumber()) throw wrong(name(name), found, "a number");
    return found.doubleValue();
  }

  /// The elements of a list; none when it is absent.
  List<JsonNode> list(String name) throws WrongRequest {
    if (!has(name)) return List.of();
    JsonNode found = object.get(name);
    if (!found.isArray()) throw wrong(name(name), found, "a list");
    List<JsonNode> all = new ArrayList<>();
    found.forEach(all::add);
    return all;
  }

  /// The objects of a list; none when it is absent.
  List<Arguments> objects(String name) throws WrongRequest {
    List<Arguments> all = new ArrayList<>();
    for (JsonNode each : list(name)) all.add(of(name(name) + "[" + all.size() + "]", each));
    return all;
  }

  /// The whole numbers of a list; none when it is absent.
  List<Long> wholes(String name) throws WrongRequest {
    List<Long> all = new ArrayList<>();
    for (JsonNode each : list(name)) {
      if (!each.isIntegralNumber() || !each.canConvertToLong())
        throw wrong(name(name) + "[" + all.size() + "]", each, "a whole number");
      all.add(each.longValue());
    }
    return all;
  }

  /// A member that is an object; empty when it is absent.
  Optional<Arguments> optionalObject(String name) throws WrongRequest {
    return has(name) ? Optional.of(of(name(name), object.get(name))) : Optional.empty();
  }

  private String name(String name) {
    return where + ": " + name;
  }

  static WrongRequest wrong(String where, JsonNode found, String needed) {
    String what =
        found.getNodeType() == JsonNodeType.NULL
            ? "null"
            : found.isValueNode()
                ? found.toString()
                : "of type " + found.getNodeType().name().toLowerCase(Locale.ROOT);
    return new WrongRequest("%s is %s; needed is %s".formatted(where, what, needed));
  }
}
