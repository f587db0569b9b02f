package dev.patchbay.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// A node of real parts: containerd with runc, which runs from the start to the end, and a kubelet
/// and our agent, which the test starts and ends as it likes.
final class RealNode implements Kubelet {
  private static final String NAME = "interop";
  private static final KubernetesVersion VERSION = KubernetesVersion.current();

  private final PrivatePlace place;
  private final Daemon containerd;
  private final NodeView view;

  private RealNode(PrivatePlace place, Daemon containerd, NodeView view) {
    this.place = place;
    this.containerd = containerd;
    this.view = view;
  }

  /// Starts containerd and waits until it has its image.
  static RealNode start(String name) throws IOException, InterruptedException {
    PrivatePlace place = PrivatePlace.open(name);
    try {
      Path dir = place.dir();
      for (String each : List.of("lib/kubelet", "manifests"))
        Files.createDirectories(dir.resolve(each));
      List<Integer> ports = freePorts(2);
      KubeletFile.write(
          place,
          """
          staticPodPath: %s
          address: 127.0.0.1
          port: %d
          readOnlyPort: %d
          healthzPort: 0
          fileCheckFrequency: 1s
          """
              .formatted(dir.resolve("manifests"), ports.get(0), ports.get(1)));
      Daemon containerd = ContainerRuntime.start(place);
      return new RealNode(place, containerd, new NodeView(dir, NAME, ports.get(1)));
    } catch (IOException | InterruptedException | RuntimeException e) {
      place.end();
      throw e;
    }
  }

  /// Ports that were free a moment ago.
  private static List<Integer> freePorts(int count) throws IOException {
    if (count == 0) return List.of();
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return Stream.concat(Stream.of(socket.getLocalPort()), freePorts(count - 1).stream())
          .toList();
    }
  }

  /// What is waited for, with a deadline that a slow machine keeps.
  static org.awaitility.core.ConditionFactory await(String what) {
    return Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50));
  }

  @Override
  public PrivatePlace place() {
    return place;
  }

  /// What the kubelet says, and what its containers wrote.
  NodeView view() {
    return view;
  }

  /// The kubelet's directory, as seen from outside.
  Path kubeletDir() {
    return place.dir().resolve("lib/kubelet");
  }

  @Override
  public Daemon startKubelet() throws IOException {
    Stream<String> command =
        Stream.of(
            PrivatePlace.part("kubelet"),
            "--config=" + KubeletFile.of(place),
            "--hostname-override=" + NAME);
    return place.start(
        "kubelet", Stream.concat(command, Stream.of(VERSION.flags())).toArray(String[]::new));
  }

  /// Starts the agent as it is shipped; returns at once.
  Daemon startAgent() throws IOException {
    return place.start(
        "agent",
        PrivatePlace.property("patchbay.home") + "/bin/patchbay",
        "agent",
        "--config",
        place.dir().resolve("agent.yaml").toString());
  }

  /// Gives the agent this configuration, whether it runs or not.
  void configure(String yaml) throws IOException {
    place.write("agent.yaml", yaml);
  }

  /// Takes it from the kubelet and waits until it is gone.
  void delete(StaticPod pod) throws IOException {
    remove(pod);
    await(pod.name() + " to be gone").until(() -> view.pod(pod.name()).isEmpty());
  }

  /// The id of the pod's container, by the runtime's account; empty text when none runs.
  String runningContainer(String pod) throws IOException, InterruptedException {
    String label = "labels.\"io.kubernetes.%s.name\"==%s";
    String filter =
        label.formatted("pod", pod + "-" + NAME) + "," + label.formatted("container", "main");
    List<String> ids = ctr("containers", "ls", "-q", filter).lines().toList();
    return ctr("tasks", "ls")
        .lines()
        .map(line -> line.split(" +", 0))
        .filter(task -> ids.contains(task[0]) && task[2].equals("RUNNING"))
        .map(task -> task[0])
        .findFirst()
        .orElse("");
  }

  private String ctr(String... arguments) throws IOException, InterruptedException {
    Stream<String> ctr = Stream.of(PrivatePlace.part("ctr"), "-n", "k8s.io");
    return place.run(Stream.concat(ctr, Stream.of(arguments)).toArray(String[]::new));
  }

  @Override
  public List<String> output(String pod) throws IOException {
    return view.output(pod);
  }

  @Override
  public void end() throws IOException, InterruptedException {
    place.end();
  }

  @Override
  public String toString() {
    return containerd.toString();
  }
}
