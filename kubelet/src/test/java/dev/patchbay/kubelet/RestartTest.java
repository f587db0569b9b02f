package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// What is left of everything after the kubelet started again.
class RestartTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void podsHoldWhatTheyHeld() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");
    plugin.list(device("a", 0), device("b", 1, 2), device("c"));
    kubelet.awaitAllocatable(GPU, 3);
    kubelet.registered(NIC, "nic-0", "nic-1");
    kubelet.admit(pod("p", List.of(), container("main", Map.of(GPU, 3L, NIC, 1L), false)));
    kubelet.admit(pod("q", List.of(), container("main", Map.of(NIC, 1L), false)));
    var before = kubelet.manager().held();

    Kubelet restarted = kubelet.restart();

    assertThat(restarted.held()).isEqualTo(before);
  }

  @Test
  void whatPodsHeldIsNotGivenToOthers() {
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));

    Kubelet restarted = kubelet.restart();
    restarted.know(pod("p", 1));
    restarted.sourcesReady(true);
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("q", 1));

    assertThat(kubelet.held("q", "main", GPU)).isEqualTo("[b]");
    assertThat(kubelet.refusal(pod("r", 1))).contains("Available: 0");
  }

  @Test
  void whatEndedBeforeIsFree() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
    kubelet.manager().release("p");

    assertThat(kubelet.restart().held()).isEmpty();
  }

  @Test
  void aPodThatRunsIsAdmittedWhateverItsPluginSays() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));

    Kubelet restarted = kubelet.restart(new RuntimeContainer("p", "main", "id", true));

    assertThat(restarted.admit(pod("p", 1))).isEqualTo(new Admission.Admitted());
    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
  }

  @Test
  void aPodThatDoesNotRunWaitsForItsPlugin() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));

    kubelet.restart(
        new RuntimeContainer("p", "other", "id", true),
        new RuntimeContainer("q", "main", "id", true));

    assertThat(kubelet.refusal(pod("p", 1)))
        .contains("no healthy devices present; cannot allocate unhealthy devices");
  }

  @Test
  void onceAllPodsAreKnownRunningIsNoExcuse() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));

    kubelet.restart(new RuntimeContainer("p", "main", "id", true)).sourcesReady(true);

    assertThat(kubelet.refusal(pod("p", 1))).contains("no healthy devices present");
  }

  @Test
  void aPodWhoseDeviceDidNotComeBackIsRefused() {
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));

    kubelet.restart();
    kubelet.registered(GPU, "b");

    assertThat(kubelet.refusal(pod("p", 1)))
        .contains("previously allocated devices are no longer healthy");
  }

  @Test
  void staleSocketsGoAndAllElseStays() throws IOException {
    kubelet.plugin("gpu.sock");
    Path dir = kubelet.directory();
    Files.createSymbolicLink(dir.resolve("link.sock"), Path.of("gpu.sock"));
    Files.createSymbolicLink(dir.resolve("dangling"), Path.of("nowhere"));
    Files.writeString(dir.resolve("DEPRECATION"), "");
    Files.createDirectory(dir.resolve("sub"));
    Files.writeString(dir.resolve("sub/file"), "");

    kubelet.restart();

    try (Stream<Path> files = Files.list(dir)) {
      assertThat(files.map(each -> each.getFileName().toString()))
          .contains("DEPRECATION", "dangling", "kubelet.sock", "sub")
          .doesNotContain("gpu.sock");
    }
    assertThat(dir.resolve("sub/file")).exists();
  }
}
