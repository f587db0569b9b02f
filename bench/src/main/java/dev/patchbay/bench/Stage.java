package dev.patchbay.bench;

import dev.patchbay.testkit.ListLog.Listed;
import dev.patchbay.testkit.ScriptedKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// One agent, its host root and its kubelet, in a temporary directory.
final class Stage implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Scenario scenario;
  private final Path directory;
  private final ScriptedKubelet kubelet;
  private final AgentProcess agent;

  private Stage(Scenario scenario, Path directory, ScriptedKubelet kubelet, AgentProcess agent) {
    this.scenario = scenario;
    this.directory = directory;
    this.kubelet = kubelet;
    this.agent = agent;
  }

  /// Starts the kubelet, then the agent; waits for nothing.
  static Stage open(Candidate candidate, Scenario scenario) throws IOException {
    // Short, since sockets are bound in it.
    Path directory = Files.createTempDirectory(Path.of("/tmp"), "pbb");
    Path hostRoot = Files.createDirectory(directory.resolve("host"));
    Path config = directory.resolve("agent.yaml");
    scenario.layOut(hostRoot, config);
    Path kubeletDir = directory.resolve("k");
    ScriptedKubelet kubelet = ScriptedKubelet.in(kubeletDir).start();
    Path log = directory.resolve("agent.log");
    try {
      AgentProcess agent = AgentProcess.start(candidate, config, hostRoot, kubeletDir, log);
      return new Stage(scenario, directory, kubelet, agent);
    } catch (IOException e) {
      kubelet.close();
      throw e;
    }
  }

  ScriptedKubelet kubelet() {
    return kubelet;
  }

  AgentProcess agent() {
    return agent;
  }

  /// A path of the agent's host.
  Path host(String path) {
    return directory.resolve("host").resolve(path);
  }

  /// Waits until the kubelet has a list of each resource.
  ///
  /// @return how long that took since the agent's start
  Duration awaitFirstLists() throws IOException, InterruptedException {
    return Duration.ofNanos(awaitAllListed(0) - agent.startedAt());
  }

  /// Waits until the kubelet has a list of each resource, with all its devices, on a stream newer
  /// than this one.
  ///
  /// @param stream its number; 0 for any stream
  /// @return when the last of them arrived, from [System#nanoTime]
  long awaitAllListed(int stream) throws IOException, InterruptedException {
    long last = Long.MIN_VALUE;
    for (Map.Entry<String, Integer> each : scenario.devices().entrySet()) {
      Listed list =
          await(
              each.getKey(), it -> it.stream() > stream && it.devices().size() >= each.getValue());
      last = Math.max(last, list.at());
    }
    return last;
  }

  /// Waits for the first list of one resource that is as wanted.
  Listed await(String resource, Predicate<Listed> wanted) throws IOException, InterruptedException {
    Optional<Listed> list = kubelet.lists().await(resource, wanted, PATIENCE);
    if (list.isPresent()) return list.get();
    throw new IOException(
        "the wanted list of %s did not arrive within %s at the %s; the agent: %s"
            .formatted(resource, PATIENCE, kubelet, agent.story()));
  }

  /// Ends both and removes all files.
  @Override
  public void close() throws IOException {
    try (kubelet) {
      agent.close();
    }
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }
}
