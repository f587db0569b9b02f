package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A node whose kubelet is the embedded one as it is shipped, with runc, in the usual directories.
record EmbeddedNode(PrivatePlace place) implements Kubelet {
  static EmbeddedNode start(String name) throws IOException {
    PrivatePlace place = PrivatePlace.open(name);
    Files.createDirectory(place.dir().resolve("manifests"));
    return new EmbeddedNode(place);
  }

  /// By its path outside, which no other place has: containers are named for it.
  private Path directory() {
    return place.dir().resolve("lib/kubelet");
  }

  private String patchbay() {
    return PrivatePlace.property("patchbay.home") + "/bin/patchbay";
  }

  @Override
  public Daemon startKubelet() throws IOException {
    return place.start(
        "kubelet",
        patchbay(),
        "kubelet",
        "--dir=" + directory(),
        "--manifests=" + place.dir().resolve("manifests"));
  }

  /// What `patchbay pods` shows; nothing before the kubelet has run.
  private JsonNode state() throws IOException, InterruptedException {
    if (Files.notExists(directory().resolve("state.json"))) return MissingNode.getInstance();
    return new ObjectMapper()
        .readTree(place.run(patchbay(), "pods", "--dir=" + directory(), "-o", "json"));
  }

  private JsonNode container(String pod) throws IOException, InterruptedException {
    for (JsonNode each : state().path("pods"))
      if (each.path("name").asText().equals(pod)) return each.at("/containers/0");
    return MissingNode.getInstance();
  }

  @Override
  public List<String> output(String pod) throws IOException, InterruptedException {
    Path log = Path.of(container(pod).path("log").asText());
    return Files.isRegularFile(log) ? Files.readAllLines(log) : List.of();
  }

  @Override
  public void end() throws IOException, InterruptedException {
    place.end();
  }
}
