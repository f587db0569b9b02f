package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// What Helm and Kustomize make of the folder `deploy`.
///
/// @param text as it was printed
/// @param objects the objects in it
record Deployed(String text, List<JsonNode> objects) {
  private static final Path DEPLOY = Path.of(PrivatePlace.property("patchbay.root"), "deploy");

  /// The chart's folder.
  static final Path CHART = DEPLOY.resolve("helm/patchbay");

  private static final ObjectMapper JSON = new ObjectMapper();

  /// The chart with these values, a YAML text, as release `patchbay` in namespace `patchbay`.
  ///
  /// @throws IOException with Helm's error when it refuses
  static Deployed chart(String values) throws IOException, InterruptedException {
    Path file = Files.createTempFile("values", ".yaml");
    try {
      Files.writeString(file, values);
      return of(
          run(
              PrivatePlace.part("helm"),
              "template",
              "patchbay",
              CHART.toString(),
              "--namespace=patchbay",
              "--values=" + file));
    } finally {
      Files.delete(file);
    }
  }

  /// A folder below `deploy/kustomize`.
  static Deployed kustomize(String folder) throws IOException, InterruptedException {
    return of(
        run(
            PrivatePlace.part("kubectl"),
            "kustomize",
            DEPLOY.resolve("kustomize").resolve(folder).toString()));
  }

  private static Deployed of(String text) {
    List<JsonNode> objects = new ArrayList<>();
    for (Object each : new Load(LoadSettings.builder().build()).loadAllFromString(text))
      if (each != null) objects.add(JSON.valueToTree(each));
    return new Deployed(text, objects);
  }

  /// Runs a program to its end, in no particular place.
  ///
  /// @return its output
  /// @throws IOException with its output when it fails
  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    if (status != 0) throw new IOException(output);
    return output;
  }

  /// What stays in the cluster, without what Helm makes for a test.
  Deployed withoutHooks() {
    return new Deployed(
        text,
        objects.stream()
            .filter(it -> !it.at("/metadata/annotations").has("helm.sh/hook"))
            .toList());
  }

  /// The objects of a kind.
  Stream<JsonNode> all(String kind) {
    return objects.stream().filter(it -> it.path("kind").asText().equals(kind));
  }

  /// The only object of a kind.
  JsonNode only(String kind) {
    List<JsonNode> all = all(kind).toList();
    if (all.size() != 1) throw new AssertionError(all.size() + " of kind " + kind + ":\n" + text);
    return all.getFirst();
  }
}
