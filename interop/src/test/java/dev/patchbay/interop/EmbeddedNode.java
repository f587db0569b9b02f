package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

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

  /// What the command shows; nothing while the kubelet is down, which the command tells first.
  private JsonNode ask(String command) throws IOException, InterruptedException {
    if (Files.notExists(directory().resolve("state.json"))) return MissingNode.getInstance();
    String answer = place.run(patchbay(), command, "--dir=" + directory(), "-o", "json");
    return answer.startsWith("patchbay: the kubelet of ")
        ? MissingNode.getInstance()
        : new ObjectMapper().readTree(answer);
  }

  private JsonNode container(String pod) throws IOException, InterruptedException {
    for (JsonNode each : ask("pods").path("pods"))
      if (each.path("name").asText().equals(pod)) return each.at("/containers/0");
    return MissingNode.getInstance();
  }

  @Override
  public int allocatableCount(String resource) throws IOException, InterruptedException {
    return ask("node").path("allocatable").path(resource).asInt();
  }

  @Override
  public SortedSet<String> held(String pod, String resource)
      throws IOException, InterruptedException {
    SortedSet<String> ids = new TreeSet<>();
    container(pod).path("devices").path(resource).forEach(id -> ids.add(id.asText()));
    return ids;
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
