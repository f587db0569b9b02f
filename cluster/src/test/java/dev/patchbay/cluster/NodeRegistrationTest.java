package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.node.NodeState;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How often a node that stays the same is reported.
final class NodeRegistrationTest {
  private static final String STATUS = "PATCH /api/v1/nodes/one/status";
  private static final NodeState.Resources RESOURCES =
      new NodeState.Resources(
          new TreeMap<>(Map.of("a.b/c", 2L)), new TreeMap<>(Map.of("a.b/c", 1L)));

  @TempDir private Path dir;
  private Instant now = Instant.parse("2026-11-21T20:00:00Z");

  @Test
  void onceInItsPeriodAndAtOnceWhenTheClockWasSetBack() throws Exception {
    try (var server = new ScriptedApiServer()) {
      Path kubeconfig = Files.writeString(dir.resolve("kubeconfig"), server.kubeconfig());
      var config =
          ClusterConfig.of(kubeconfig, "one", "v1.36.0", new TreeMap<>(Map.of("pods", 5L)))
              .withPeriods(Duration.ofSeconds(10), Duration.ofMinutes(5), Duration.ofSeconds(10));
      try (KubernetesClient client = Kubeconfig.read(kubeconfig).client()) {
        var registration =
            new NodeRegistration(
                client,
                config,
                new TreeMap<>(),
                new NodeStatusText(
                    config,
                    new Machine("m", "m", "b", "6.8", "Linux", "amd64"),
                    "runc",
                    "192.0.2.1"),
                () -> now,
                false,
                new NodeNews(new Events(client, "one", () -> now, Thread::sleep), "one"));
        registration.look(RESOURCES);
        registration.look(RESOURCES);
        long begun = writes(server);

        now = now.plus(Duration.ofMinutes(4));
        registration.look(RESOURCES);
        assertThat(writes(server)).as("within the period").isEqualTo(begun);
        now = now.plus(Duration.ofMinutes(1));
        registration.look(RESOURCES);
        registration.look(RESOURCES);
        assertThat(writes(server)).as("after it").isEqualTo(begun + 1);
        now = now.minus(Duration.ofHours(3));
        registration.look(RESOURCES);
        registration.look(RESOURCES);
        assertThat(writes(server)).as("set back").isEqualTo(begun + 2);
      }
    }
  }

  private static long writes(ScriptedApiServer server) {
    return server.requests().stream().filter(it -> it.startsWith(STATUS)).count();
  }
}
