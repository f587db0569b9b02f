package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.podresources.v1.PodResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What the agent promises, as a real kubelet and real containers see it. Devices are the test's
/// own nodes of loop devices, which nothing is behind.
@Timeout(300)
@ExtendWith(NamesLogs.class)
final class RealKubeletTest {
  private static final String TOY = "a.b/toy";
  private static final String TOY0 = "run_toy0";
  private static final String TOY1 = "run_toy1";
  private static final String TOY2 = "run_toy2";
  private static final int ROUNDS = 5;

  private RealNode node;
  private NodeView view;

  @BeforeEach
  void startNode(TestInfo test) throws Exception {
    node = RealNode.start(test.getTestMethod().orElseThrow().getName());
    view = node.view();
    node.plug("toy0", 0);
    node.plug("toy1", 1);
    node.configure(config(""));
  }

  @AfterEach
  void endNode() throws Exception {
    node.end();
  }

  private String config(String more) {
    return """
    version: 1
    %s
    drivers:
      device-node:
        domain: a.b
        devices:
          - name: toy
            groups: [{paths: [{path: "/run/toy*", mount-path: /dev/, permissions: rw}]}]
    """
        .formatted(more);
  }

  private void awaitAllocatable(Daemon kubelet, Daemon agent, String... devices) {
    await(agent + "\n" + kubelet.log())
        .untilAsserted(() -> assertThat(view.allocatable(TOY)).containsExactly(devices));
  }

  private void awaitTried(String pod) {
    await(pod + " in " + node)
        .untilAsserted(() ->
            assertThat(view.output(pod)).as("%s", view.status(pod)).contains(StaticPod.TRIED));
  }

  @Test
  void aPodOpensTheTwoNodesThatItAskedForAndNoOther() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);

    node.create(new StaticPod("two", TOY, 2));
    awaitTried("two");

    assertThat(view.output("two"))
        .containsExactly(
            "opens /dev/toy0",
            "opens /dev/toy1",
            "sh: can't open /dev/other: Operation not permitted",
            StaticPod.TRIED);
    assertThat(node.checkpoint().at("/Data/PodDeviceEntries")).hasSize(1);
    PodResources listed = view.listed("two").orElseThrow();
    assertThat(NodeView.devices(listed, TOY)).containsExactly(TOY0, TOY1);
    if (KubernetesVersion.current().hasPodResourcesGet())
      assertThat(NodeView.devices(view.got("two"), TOY)).containsExactly(TOY0, TOY1);

    node.delete(new StaticPod("two", TOY, 2));
    node.create(new StaticPod("one", TOY, 1));
    awaitTried("one");
    assertThat(view.held("one", TOY)).hasSize(1);
    assertThat(view.output("one").stream().filter(it -> it.startsWith("opens"))).hasSize(1);
  }

  @Test
  void aPodThatAsksForThreeOfTwoIsRefusedInTheKubeletsWords() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);

    node.create(new StaticPod("three", TOY, 3));
    await("the refusal").until(() -> view.status("three").path("phase").asText().equals("Failed"));

    assertThat(view.status("three").path("reason").asText()).isEqualTo("UnexpectedAdmissionError");
    assertThat(view.status("three").path("message").asText())
        .contains(
            "Allocate failed due to requested number of devices unavailable for a.b/toy."
                + " Requested: 3, Available: 2, which is unexpected");
    assertThat(view.held("three", TOY)).isEmpty();
  }

  @Test
  void aDeviceOutOfServiceIsNotAllocatableButStaysWithItsPod() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    node.create(new StaticPod("holder", TOY, 2));
    awaitTried("holder");
    String container = node.runningContainer("holder");

    node.configure(config("out-of-service: [{resource: a.b/toy, device: run_toy1}]"));
    awaitAllocatable(kubelet, agent, TOY0);
    assertThat(view.held("holder", TOY)).containsExactly(TOY0, TOY1);

    node.configure(config(""));
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    assertThat(view.held("holder", TOY)).containsExactly(TOY0, TOY1);
    assertThat(node.runningContainer("holder")).isEqualTo(container).isNotEmpty();
  }

  @Test
  void aNodeThatAppearsCanBeUsedAndOneThatGoesCannot() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);

    node.plug("toy2", 2);
    awaitAllocatable(kubelet, agent, TOY0, TOY1, TOY2);
    node.create(new StaticPod("three", TOY, 3));
    awaitTried("three");
    assertThat(view.output("three")).contains("opens /dev/toy2");

    node.unplug("toy2");
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    assertThat(node.runningContainer("three")).isNotEmpty();
  }

  @Test
  void aKubeletThatEndsOrIsKilledFindsDevicesAndPodsAgain() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    node.create(new StaticPod("holder", TOY, 1));
    awaitTried("holder");
    String container = node.runningContainer("holder");
    Set<String> held = view.held("holder", TOY);

    for (int round = 0; round < ROUNDS; round++) {
      if (round % 2 == 0) kubelet.kill();
      else kubelet.terminate();
      kubelet = node.startKubelet();
      awaitAllocatable(kubelet, agent, TOY0, TOY1);
      await("the pod's container, in round " + round)
          .untilAsserted(() -> assertThat(node.runningContainer("holder")).isEqualTo(container));
      await("the pod's device, in round " + round)
          .untilAsserted(() -> assertThat(view.held("holder", TOY)).isEqualTo(held));
    }
    assertThat(held).hasSize(1);
  }

  @Test
  void anAgentThatEndsOrIsKilledRegistersAgainUnderItsPods() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    node.create(new StaticPod("holder", TOY, 1));
    awaitTried("holder");
    String container = node.runningContainer("holder");
    Set<String> held = view.held("holder", TOY);

    for (int round = 0; round < ROUNDS; round++) {
      if (round % 2 == 0) agent.kill();
      else assertThat(agent.terminate()).isZero();
      awaitAllocatable(kubelet, agent);
      agent = node.startAgent();
      awaitAllocatable(kubelet, agent, TOY0, TOY1);
      assertThat(view.held("holder", TOY)).isEqualTo(held).hasSize(1);
    }
    assertThat(node.runningContainer("holder")).isEqualTo(container);
    var free = new TreeSet<>(List.of(TOY0, TOY1));
    free.removeAll(held);
    node.create(new StaticPod("other", TOY, 1));
    awaitTried("other");
    assertThat(view.held("other", TOY)).isEqualTo(free);
  }

  @Test
  @Tag("thorough")
  void aDirectoryThatIsRemovedUnderBothIsFilledAgainByTheNextKubelet() throws Exception {
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    for (int round = 0; round < ROUNDS; round++) {
      // In one step: the agent would make a new socket in a directory that is being emptied.
      Path removed = node.kubeletDir().resolve("removed");
      Files.move(node.kubeletDir().resolve("device-plugins"), removed);
      try (Stream<Path> tree = Files.walk(removed)) {
        for (Path path : tree.sorted(Comparator.reverseOrder()).toList())
          Files.deleteIfExists(path);
      }
      kubelet.kill();
      kubelet = node.startKubelet();
      awaitAllocatable(kubelet, agent, TOY0, TOY1);
    }
    node.create(new StaticPod("two", TOY, 2));
    awaitTried("two");
  }

  @Test
  @Tag("thorough")
  void theKubeletFindsTheAgentInPluginsRegistry() throws Exception {
    node.configure(config("registration: {ways: [plugins-registry]}"));
    Daemon kubelet = node.startKubelet();
    Daemon agent = node.startAgent();
    awaitAllocatable(kubelet, agent, TOY0, TOY1);
    node.create(new StaticPod("two", TOY, 2));
    awaitTried("two");

    for (int round = 0; round < ROUNDS; round++) {
      if (round % 2 == 0) {
        kubelet.kill();
        kubelet = node.startKubelet();
      } else {
        agent.kill();
        awaitAllocatable(kubelet, agent);
        agent = node.startAgent();
      }
      awaitAllocatable(kubelet, agent, TOY0, TOY1);
    }
    await("the pod's devices")
        .untilAsserted(() -> assertThat(view.held("two", TOY)).containsExactly(TOY0, TOY1));
  }

  private static void awaitStarted(Daemon agent) {
    await("the agent to start: " + agent.log())
        .until(() -> Files.readString(agent.log()).contains("agent started"));
  }

  @Test
  @Tag("thorough")
  void noRegistrationIsLostWhicheverStartsFirst() throws Exception {
    for (int round = 0; round < 6 * ROUNDS; round++) {
      Daemon kubelet;
      Daemon agent;
      switch (round % 3) {
        case 0 -> {
          agent = node.startAgent();
          awaitStarted(agent);
          kubelet = node.startKubelet();
        }
        case 1 -> {
          agent = node.startAgent();
          kubelet = node.startKubelet();
        }
        default -> {
          kubelet = node.startKubelet();
          await("the kubelet to serve")
              .until(() -> Files.exists(node.kubeletDir().resolve("device-plugins/kubelet.sock")));
          agent = node.startAgent();
        }
      }
      awaitAllocatable(kubelet, agent, TOY0, TOY1);
      agent.kill();
      kubelet.kill();
    }
  }
}
