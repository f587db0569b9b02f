package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.KnownPod;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the kubelet side knows of a node's pods, which is what monitors are shown.
final class PluginDevicesTest {
  private Path dir;
  private PluginDevices devices;

  @BeforeEach
  void start() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    devices =
        PluginDevices.of(
            KubeletSettings.of(dir.resolve("device-plugins")),
            dir,
            InstantSource.system(),
            KubeletEvents.NONE);
    devices.start(Set.of());
    devices.sourcesReady();
  }

  @AfterEach
  void stop() throws IOException {
    devices.close();
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  @Test
  void aPodThatEndedIsKnownUntilItIsReleased() {
    PodSpec pod = pod("{}");
    assertThat(devices.admit(pod)).isInstanceOf(Admission.Admitted.class);

    devices.ended(pod, PodPhase.SUCCEEDED);
    assertThat(phases()).containsExactly(PodPhase.SUCCEEDED);

    devices.release(pod.uid());
    assertThat(phases()).isEmpty();
  }

  @Test
  void aPodThatEndedBeforeTheStartIsKnownToo() {
    devices.ended(pod("{}"), PodPhase.FAILED);

    assertThat(phases()).containsExactly(PodPhase.FAILED);
  }

  @Test
  void aPodThatIsRefusedIsKnownAsFailed() {
    assertThat(devices.admit(pod("{limits: {a.b/none: 1}}"))).isInstanceOf(Admission.Refused.class);

    assertThat(phases()).containsExactly(PodPhase.FAILED);
  }

  private List<PodPhase> phases() {
    return devices.kubelet().pods().stream().map(KnownPod::phase).toList();
  }

  private static PodSpec pod(String resources) {
    return PodManifests.read(
            "one.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: one}
            spec: {containers: [{name: main, image: x, resources: %s}]}
            """
                .formatted(resources))
        .pods()
        .getFirst();
  }
}
