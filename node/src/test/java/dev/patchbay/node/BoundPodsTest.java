package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.PodSource.Wish;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Pods that a scheduler has bound to the node.
@Timeout(60)
final class BoundPodsTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path dir;
  private final ScriptedDevices devices = new ScriptedDevices();
  private final InMemoryContainers containers = new InMemoryContainers();
  private final ScriptedSource source = new ScriptedSource();
  private Node node;

  @BeforeEach
  void start() throws Exception {
    node = newNode();
  }

  private Node newNode() throws Exception {
    NodeConfig config = NodeConfig.of(dir);
    return Node.start(
        new Surroundings(config, source, devices, containers, InstantSource.system(), _ -> {}),
        "test");
  }

  @AfterEach
  void stop() throws Exception {
    node.closeAndRemovePods();
  }

  private void await(String pod, Phase phase) throws Exception {
    assertThat(
            node.awaitState(
                state ->
                    state.pods().stream()
                        .anyMatch(it -> it.name().equals(pod) && it.phase() == phase),
                SOON))
        .as("%s is %s: %s", pod, phase, node.state())
        .isTrue();
  }

  @Test
  void whatHappensIsTold() throws Exception {
    source.ask("one", new Wish.RunNow());

    await("one", Phase.RUNNING);

    assertThat(source.happened).containsExactly("one Created", "one Started");
  }

  @Test
  void aRefusedPodIsToldAndNotAskedAgain() throws Exception {
    devices.refusals.put("one", "no such thing");
    source.ask("one", new Wish.RunNow());

    await("one", Phase.FAILED);

    assertThat(source.happened).containsExactly("one UnexpectedAdmissionError");
    source.ask("one", new Wish.Keep());
    source.ask("two", new Wish.RunNow());
    await("two", Phase.RUNNING);
    assertThat(devices.calls).containsOnlyOnce("admit one");
  }

  @Test
  void aPodThatIsToEndIsGoneWithItsLastState() throws Exception {
    source.ask("one", new Wish.RunNow());
    await("one", Phase.RUNNING);

    source.ask("one", new Wish.End(Duration.ofSeconds(7)));

    Awaitility.await().until(() -> source.gone.containsKey("one"));
    assertThat(source.gone.values().iterator().next().containers().getFirst().state())
        .isEqualTo(Activity.TERMINATED);
    assertThat(containers.graces()).contains(Duration.ofSeconds(7));
    assertThat(source.happened).endsWith("one Killing");
    assertThat(containers.isEmpty()).isTrue();
  }

  @Test
  void aPodThatEndedBeforeTheNodeStartedIsNotBegunAgain() throws Exception {
    source.ask("old", new Wish.Keep());
    source.ask("one", new Wish.RunNow());

    await("one", Phase.RUNNING);

    assertThat(node.state().pods()).hasSize(1);
    assertThat(devices.calls).doesNotContain("admit old");
  }

  @Test
  void aPodThatWasToEndWhileNoProcessRanTheNodeEndsAfterItsStart() throws Exception {
    source.ask("one", new Wish.RunNow());
    await("one", Phase.RUNNING);
    node.close();
    source.ask("one", new Wish.End(Duration.ZERO));

    node = newNode();

    Awaitility.await().until(() -> source.gone.containsKey("one"));
    assertThat(containers.isEmpty()).isTrue();
  }

  @Test
  void aDeviceThatIsBrokenIsShownAtItsContainer() throws Exception {
    devices.offer("a.b/c", "x");
    devices.broken.add("x");
    source.ask("one", new Wish.RunNow(), "a.b/c: 1");

    await("one", Phase.RUNNING);

    assertThat(node.state().pods().getFirst().containers().getFirst().unhealthy())
        .containsEntry("a.b/c", List.of("x"));
  }
}
