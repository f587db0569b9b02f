package dev.patchbay.kubelet.podresources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.HostSettings;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.kubelet.podresources.PodHoldings.MemoryShare;
import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a kubelet's pods have, on a machine of two NUMA nodes with four CPUs and 1 GiB each, of
/// which CPU 0 and 100 MiB on node 0 are reserved.
final class KubeletHoldingsTest {
  private static final long MI = 1L << 20;
  private static final DraClaim CLAIM = new DraClaim("gpus", "gpus-x7", List.of());

  @TempDir private Path dir = Path.of("");
  private Optional<Kubelet> kubelet = Optional.empty();

  @BeforeEach
  void start() throws Exception {
    KubeletSettings settings =
        KubeletSettings.of(dir.resolve("device-plugins"))
            .withTopology(
                TopologySettings.of("best-effort", "container"),
                NumaMachine.regular(2, 4, 1024 * MI))
            .withHost(
                new HostSettings(
                    CpuSettings.reserving(CpuSet.of(0)),
                    MemorySettings.reservingOn(0),
                    Optional.empty()));
    var started = new Kubelet(settings, InstantSource.system());
    kubelet = Optional.of(started);
    started.start(List.of());
    started.sourcesReady(true);
  }

  @AfterEach
  void stop() {
    kubelet.ifPresent(Kubelet::close);
  }

  @Test
  void aPinnedContainerHasItsCpusItsMemoryAndItsClaims() {
    assertThat(kubelet().admit(pod("one"))).isInstanceOf(Admission.Admitted.class);

    ContainerHoldings main = holdings().pods().getFirst().containers().getFirst();

    assertThat(main.cpus()).hasSize(2).doesNotContain(0);
    assertThat(main.memory()).extracting(MemoryShare::type).containsExactly("memory");
    assertThat(main.memory()).extracting(MemoryShare::sizeBytes).containsExactly(200 * MI);
    assertThat(main.memory().getFirst().nodes()).hasSize(1);
    assertThat(main.claims()).containsExactly(CLAIM);
  }

  @Test
  void whatIsReservedIsNotAllocatable() {
    Allocatable now = holdings().allocatable();

    assertThat(now.cpus()).containsExactly(1, 2, 3, 4, 5, 6, 7);
    assertThat(now.memory())
        .containsExactly(
            new MemoryShare("memory", 924 * MI, List.of(0)),
            new MemoryShare("memory", 1024 * MI, List.of(1)));
    assertThat(now.devices()).isEmpty();
  }

  @Test
  void anEndedPodIsKnownAndHasNothingAfterTheCollection() {
    assertThat(kubelet().admit(pod("one"))).isInstanceOf(Admission.Admitted.class);
    kubelet().ended("uid-one", PodPhase.SUCCEEDED);
    holdings().collectGarbage();

    PodHoldings pod = holdings().pod("default", "one").orElseThrow();

    assertThat(pod.active()).isFalse();
    assertThat(pod.containers().getFirst().cpus()).isEmpty();
    assertThat(holdings().pod("default", "two")).isEmpty();
    assertThat(holdings().pod("other", "one")).isEmpty();
  }

  private Kubelet kubelet() {
    return kubelet.orElseThrow();
  }

  private NodeHoldings holdings() {
    return new KubeletHoldings(kubelet());
  }

  private static PodSpec pod(String name) {
    var asked = new TreeMap<>(Map.of("cpu", 2000L, "memory", 200 * MI));
    var main =
        new ContainerSpec(
            "main",
            "image",
            List.of(),
            List.of(),
            "",
            new LinkedHashMap<>(),
            new LinkedHashMap<>(),
            false,
            new NativeResources(asked, asked),
            List.of(new DraClaim.Use("gpus", Optional.empty())));
    return new PodSpec(
            "uid-" + name,
            "default",
            name,
            Map.of(),
            List.of(),
            List.of(main),
            PodSpec.RestartPolicy.ALWAYS)
        .withDynamicResources(List.of(CLAIM), Set.of());
  }
}
