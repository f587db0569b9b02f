package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;

/// A node on which plugins are judged: [RealNode], whose kubelet is Kubernetes' own, or
/// [EmbeddedNode], whose kubelet is ours.
sealed interface Kubelet permits RealNode, EmbeddedNode {
  /// Where it runs, and its plugins.
  PrivatePlace place();

  /// Starts the kubelet; returns at once.
  Daemon startKubelet() throws IOException;

  /// How many devices of a resource could be given away, held or not, by the kubelet's own account;
  /// none while it is down.
  int allocatableCount(String resource) throws IOException, InterruptedException;

  /// The devices that a pod holds, by the kubelet's own account.
  SortedSet<String> held(String pod, String resource) throws IOException, InterruptedException;

  /// What the container of a pod wrote.
  List<String> output(String pod) throws IOException, InterruptedException;

  /// Ends all of it; nothing is left but the logs.
  void end() throws IOException, InterruptedException;

  /// The kubelet's checkpoint of devices, the same in both; empty while there is none.
  default JsonNode checkpoint() throws IOException {
    Path file = place().dir().resolve("lib/kubelet/device-plugins/kubelet_internal_checkpoint");
    var json = new ObjectMapper();
    return Files.exists(file) ? json.readTree(Files.readString(file)) : MissingNode.getInstance();
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
