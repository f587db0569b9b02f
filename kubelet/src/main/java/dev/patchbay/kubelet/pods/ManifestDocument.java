package dev.patchbay.kubelet.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// One YAML or JSON document of a file of Kubernetes objects: its tree, and on which line each
/// field stands.
///
/// @param root the tree; numbers keep their exact value
/// @param lines line by field path, counted from 1
public record ManifestDocument(JsonNode root, Map<String, Integer> lines) {
  /// Deeper nesting is a mistake or an anchor within itself.
  private static final int MAX_DEPTH = 64;

  /// Larger exponents are kept as text, so that writing the number out cannot take the memory.
  private static final int MAX_SCALE = 100;

  /// Who is told what is wrong with a document.
  @FunctionalInterface
  public interface Findings {
    /// Something is wrong.
    ///
    /// @param line counted from 1; 0 when unknown
    /// @param field path in the document; empty for the document itself
    /// @param why what was found and what was needed
    void problem(int line, String field, String why);
  }

  /// All documents that are not empty; of a text that is no YAML none, which is a problem.
  public static List<ManifestDocument> all(String text, Findings findings) {
    try {
      return parsed(text, findings);
    } catch (YamlEngineException e) {
      findings.problem(lineOf(e), "", "is not YAML: " + reasonOf(e));
      return List.of();
    }
  }

  private static List<ManifestDocument> parsed(String text, Findings findings) {
    LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
    List<ManifestDocument> documents = new ArrayList<>();
    for (Node node : new Compose(settings).composeAllFromString(text)) {
      if (node.getTag().equals(Tag.NULL)) continue;
      Map<String, Integer> lines = new HashMap<>();
      documents.add(new ManifestDocument(convert(node, "", 0, lines, findings), lines));
    }
    return documents;
  }

  /// The line of this field, or of the nearest field around it that the document has.
  public int line(String field) {
    for (String at = field; !at.isEmpty(); at = parent(at)) {
      Integer line = lines.get(at);
      if (line != null) return line;
    }
    return lines.getOrDefault("", 0);
  }

  /// The path of a field within another.
  public static String at(String parent, String key) {
    if (!key.matches("[A-Za-z0-9_-]+")) return parent + "[" + key + "]";
    return parent.isEmpty() ? key : parent + "." + key;
  }

  private static int lineOf(YamlEngineException e) {
    return e instanceof MarkedYamlEngineException marked
        ? marked.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0)
        : 0;
  }

  private static String reasonOf(YamlEngineException e) {
    String text =
        e instanceof MarkedYamlEngineException marked ? marked.getProblem() : e.getMessage();
    return String.valueOf(text).lines().findFirst().orElse("unreadable");
  }

  private static String parent(String field) {
    int end = field.endsWith("]") ? field.lastIndexOf('[') : Math.max(field.lastIndexOf('.'), 0);
    return field.substring(0, end);
  }

  private static JsonNode convert(
      Node node, String at, int depth, Map<String, Integer> lines, Findings findings) {
    int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    lines.putIfAbsent(at, line);
    if (depth > MAX_DEPTH) {
      findings.problem(line, "", "is nested more than " + MAX_DEPTH + " deep");
      return JsonNodeFactory.instance.nullNode();
    }
    return switch (node) {
      case MappingNode mapping -> convertMapping(mapping, at, depth, lines, findings);
      case SequenceNode sequence -> {
        var array = JsonNodeFactory.instance.arrayNode();
        for (Node item : sequence.getValue())
          array.add(convert(item, at + "[" + array.size() + "]", depth + 1, lines, findings));
        yield array;
      }
      case ScalarNode scalar -> convertScalar(scalar);
      default -> JsonNodeFactory.instance.nullNode();
    };
  }

  private static ObjectNode convertMapping(
      MappingNode mapping, String at, int depth, Map<String, Integer> lines, Findings findings) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (NodeTuple entry : mapping.getValue()) {
      int line = entry.getKeyNode().getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        findings.problem(line, at, "has a key that is no text");
        continue;
      }
      String field = at(at, key.getValue());
      lines.putIfAbsent(field, line);
      if (object.has(key.getValue())) findings.problem(line, field, "is given twice");
      object.set(key.getValue(), convert(entry.getValueNode(), field, depth + 1, lines, findings));
    }
    return object;
  }

  private static JsonNode convertScalar(ScalarNode scalar) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    String value = scalar.getValue();
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.NULL)) return nodes.nullNode();
    if (tag.equals(Tag.BOOL)) return nodes.booleanNode(Boolean.parseBoolean(value));
    try {
      if (tag.equals(Tag.INT)) return nodes.numberNode(integer(value));
      if (tag.equals(Tag.FLOAT)) {
        BigDecimal number = new BigDecimal(value);
        if (Math.abs(number.scale()) <= MAX_SCALE)
          return nodes.numberNode(number.scale() < 0 ? number.setScale(0) : number);
      }
    } catch (NumberFormatException e) {
      return nodes.textNode(value); // such as .inf, which JSON has no number for
    }
    return nodes.textNode(value);
  }

  private static BigInteger integer(String value) {
    if (value.startsWith("0x")) return new BigInteger(value.substring(2), 16);
    if (value.startsWith("0o")) return new BigInteger(value.substring(2), 8);
    return new BigInteger(value);
  }
}
