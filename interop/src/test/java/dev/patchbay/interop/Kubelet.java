package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// A node on which plugins are judged: [RealNode], whose kubelet is Kubernetes' own, or
/// [EmbeddedNode], whose kubelet is ours.
sealed interface Kubelet permits RealNode, EmbeddedNode {
  /// Where it runs, and its plugins.
  PrivatePlace place();

  /// Starts the kubelet; returns at once.
  Daemon startKubelet() throws IOException;

  /// What the container of a pod wrote.
  List<String> output(String pod) throws IOException, InterruptedException;

  /// Ends all of it; nothing is left but the logs.
  void end() throws IOException, InterruptedException;

  /// The kubelet's checkpoint of devices, the same in both; empty while there is none.
  default JsonNode checkpoint() throws IOException {
    Path file = checkpointFile();
    return Files.exists(file)
        ? new ObjectMapper().readTree(Files.readString(file))
        : MissingNode.getInstance();
  }

  /// Whether a plugin has registered this resource with this process of the kubelet, and listed
  /// that many healthy devices. PodResources does not tell: it leaves out devices whose topology
  /// has no node, and resources without a device.
  default boolean lists(Daemon kubelet, String resource, int devices) throws IOException {
    Instant started = kubelet.program().info().startInstant().orElse(Instant.MAX);
    if (Files.notExists(checkpointFile())
        || Files.getLastModifiedTime(checkpointFile()).toInstant().isBefore(started)) return false;
    JsonNode listed = checkpoint().at("/Data/RegisteredDevices").path(resource);
    return !listed.isMissingNode() && listed.size() == devices;
  }

  /// The devices of a resource that pods hold.
  default SortedSet<String> given(String resource) throws IOException {
    SortedSet<String> given = new TreeSet<>();
    for (JsonNode entry : checkpoint().at("/Data/PodDeviceEntries"))
      if (entry.path("ResourceName").asText().equals(resource))
        for (JsonNode ofNumaNode : entry.path("DeviceIDs"))
          ofNumaNode.forEach(id -> given.add(id.asText()));
    return given;
  }

  private Path checkpointFile() {
    return place().dir().resolve("lib/kubelet/device-plugins/kubelet_internal_checkpoint");
  }

  /// Makes a node of the loop device of this number in the place's own `/run`: what is opened
  /// without being granted differs from it in nothing but the number.
  default void plug(String name, int loop) throws IOException, InterruptedException {
    place().run("mknod", "/run/" + name, "b", "7", String.valueOf(loop));
  }

  /// Takes it away again.
  default void unplug(String name) throws IOException {
    Files.delete(place().dir().resolve("run").resolve(name));
  }

  /// Gives the kubelet a static pod.
  default void create(StaticPod pod) throws IOException {
    place().write("manifests/" + pod.name() + ".yaml", pod.yaml());
  }

  /// Takes it from the kubelet; returns at once.
  default void remove(StaticPod pod) throws IOException {
    Files.delete(place().dir().resolve("manifests/" + pod.name() + ".yaml"));
  }
}
