package dev.patchbay.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Kubernetes manifests in a file.
///
/// @param text as it stands there, comments included
/// @param objects its documents that are not empty
record Manifests(Path file, String text, List<JsonNode> objects) {
  /// What `scripts/check-chart` keeps of Helm's and Kustomize's output.
  static final Path RENDERED = Path.of("src/test/resources/deploy");

  static Manifests read(Path file) throws IOException {
    String text = Files.readString(file);
    try (var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(text)) {
      return new Manifests(
          file, text, documents.readAll().stream().filter(JsonNode::isObject).toList());
    }
  }

  /// All renderings of the chart and of the kustomizations.
  static List<Path> rendered() throws IOException {
    try (Stream<Path> files = Files.walk(RENDERED)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  List<JsonNode> ofKind(String kind) {
    return objects.stream().filter(it -> it.path("kind").asText().equals(kind)).toList();
  }

  /// The one object of this kind with this name.
  JsonNode named(String kind, String name) {
    List<JsonNode> found =
        ofKind(kind).stream().filter(it -> it.at("/metadata/name").asText().equals(name)).toList();
    if (found.size() != 1)
      throw new AssertionError(
          file + " has " + found.size() + " of " + kind + " " + name + "; needed is one");
    return found.getFirst();
  }
}
