package dev.patchbay.it;

import dev.patchbay.agent.Agent;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.host.HostRoot;
import dev.patchbay.testkit.Pace;
import dev.patchbay.testkit.PluginContract;
import dev.patchbay.testkit.PluginUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The agent, with the pauses and deadlines that it has on a node, does what every plugin has to
/// do.
final class AgentContractTest extends PluginContract {
  // Files that are mounted stand for devices, since device nodes need root.
  private static final String CONFIG =
      """
      version: 1
      health: {gone-after: 1h, flap-changes: 1000}
      drivers:
        device-node:
          domain: vendor.example
          devices:
            - {name: toy, groups: [{paths: [{path: "/dev/toy*", type: mount}]}]}
            - {name: car, groups: [{paths: [{path: "/dev/car*", type: mount}]}]}
      """;

  @Override
  protected PluginUnderTest start(Path kubeletDir) throws IOException {
    return ToyAgent.start(kubeletDir);
  }

  @Override
  protected Pace pace() {
    return new Pace(Duration.ofSeconds(90), Duration.ofSeconds(3), 20);
  }

  /// An agent on a machine of its own, whose devices are files.
  private record ToyAgent(Path machine, Agent agent)
      implements PluginUnderTest, PluginUnderTest.HealthSwitch {
    static ToyAgent start(Path kubeletDir) throws IOException {
      Path machine = Files.createTempDirectory("machine");
      Path dev = Files.createDirectory(machine.resolve("dev"));
      for (SortedSet<String> ids : allDevices().values())
        for (String id : ids) Files.createFile(dev.resolve(id));
      if (!(ConfigReader.read("agent.yaml", CONFIG) instanceof ConfigReading.Valid valid))
        throw new AssertionError("the configuration of this test is wrong");
      return new ToyAgent(
          machine,
          Agent.start(HostRoot.of(machine), kubeletDir, valid.config(), InstantSource.system()));
    }

    private static SequencedMap<String, SortedSet<String>> allDevices() {
      SequencedMap<String, SortedSet<String>> devices = new LinkedHashMap<>();
      devices.put("vendor.example/toy", new TreeSet<>(Set.of("toy0", "toy1")));
      devices.put("vendor.example/car", new TreeSet<>(Set.of("car0")));
      return devices;
    }

    @Override
    public SequencedMap<String, SortedSet<String>> devices() {
      return allDevices();
    }

    @Override
    public Optional<HealthSwitch> healthSwitch() {
      return Optional.of(this);
    }

    @Override
    public void makeUnhealthy(String id) throws IOException {
      Files.delete(machine.resolve("dev").resolve(id));
    }

    @Override
    public void makeHealthy(String id) throws IOException {
      Files.createFile(machine.resolve("dev").resolve(id));
    }

    @Override
    public void close() throws IOException {
      agent.close();
      if (Files.notExists(machine)) return;
      try (Stream<Path> tree = Files.walk(machine)) {
        for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.delete(path);
      }
    }
  }
}
