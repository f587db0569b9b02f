package dev.patchbay.kubelet.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.HostSettings;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.Pods;
import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CountedEventsTest {
  private static final Admission MISALIGNED =
      new Admission.Refused("TopologyAffinityError", "cannot be aligned");

  private static final KubeletSettings SETTINGS = KubeletSettings.of(Path.of("/kubelet"));

  private final KubeletMetrics metrics = new KubeletMetrics();

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource(
      textBlock =
          """
          none,             container, TopologyAffinityError,    0, -, -
          best-effort,      container, UnexpectedAdmissionError, 1, 0, 0
          restricted,       container, TopologyAffinityError,    1, 0, 0
          restricted,       container, OutOfcpu,                 0, 0, 0
          single-numa-node, container, TopologyAffinityError,    1, 0, 1
          single-numa-node, container, UnexpectedAdmissionError, 1, 0, 0
          single-numa-node, container, OutOfcpu,                 0, 0, 0
          single-numa-node, pod,       TopologyAffinityError,    1, 0, 1
          single-numa-node, pod,       UnexpectedAdmissionError, 1, 0, 0
          single-numa-node, pod,       OutOfcpu,                 0, 1, 0
          """)
  void aRefusalCountsWhereThePolicyHasToDoWithIt(
      String policy, String scope, String reason, int errors, String aligned, String failed) {
    events(policy, scope)
        .podDecided(pod(), new Admission.Refused(reason, "why"), Duration.ofMillis(2));

    assertThat(lines())
        .contains(
            "kubelet_topology_manager_admission_requests_total 1",
            "kubelet_topology_manager_admission_errors_total " + errors,
            "kubelet_topology_manager_admission_duration_ms_sum 2");
    assertThat(alignment("count", scope)).isEqualTo(aligned);
    assertThat(alignment("failure_count", scope)).isEqualTo(failed);
  }

  @Test
  void containersAreCountedAsTheyArePlacedAndPodsAsTheyAreDecidedAbout() {
    KubeletEvents ofContainers = events("single-numa-node", "container");
    ofContainers.containerPlaced(pod(), "prepare");
    ofContainers.containerPlaced(pod(), "main");
    ofContainers.podDecided(pod(), new Admission.Admitted(), Duration.ZERO);
    KubeletEvents ofPods = events("single-numa-node", "pod");
    ofPods.podDecided(pod(), new Admission.Admitted(), Duration.ZERO);
    ofPods.podDecided(pod(), MISALIGNED, Duration.ZERO);

    assertThat(alignment("count", "container")).isEqualTo("2");
    assertThat(alignment("count", "pod")).isEqualTo("1");
    assertThat(alignment("failure_count", "pod")).isEqualTo("1");
  }

  @Test
  void aPlaceThatNobodyDemandedIsNotCounted() {
    events("restricted", "container").containerPlaced(pod(), "main");

    assertThat(alignment("count", "container")).isEqualTo("0");
  }

  @Test
  void whereContainersMayOwnCpusTheirBoundariesAreShown() {
    var _ =
        new CountedEvents(
            metrics,
            SETTINGS.withHost(
                new HostSettings(CpuSettings.reserving(1), MemorySettings.NONE, Optional.empty())),
            KubeletEvents.NONE);

    String name = "kubelet_container_aligned_compute_resources_";
    assertThat(lines().stream().filter(line -> line.startsWith(name)))
        .containsExactly(
            name + "count{scope=\"container\",boundary=\"physical_cpu\"} 0",
            name + "count{scope=\"container\",boundary=\"uncore_cache\"} 0",
            name + "failure_count{scope=\"container\",boundary=\"physical_cpu\"} 0");
  }

  @Test
  void containersWithWholeCoresAreCountedAndPodsThatCannotHaveThem() {
    KubeletEvents events = cpuEvents(CpuOption.WHOLE_CORES);
    events.cpusOwned(pod(), "main", CpuSet.of(0, 4), true);
    events.cpusOwned(pod(), "main", CpuSet.of(0, 4), false);
    events.podRefused(new Admission.Refused("SMTAlignmentError", "why"));
    events.podRefused(new Admission.Refused("UnexpectedAdmissionError", "why"));

    assertThat(boundary("count", "physical_cpu")).isEqualTo("2");
    assertThat(boundary("failure_count", "physical_cpu")).isEqualTo("1");
  }

  @Test
  void containersAreCountedOnceThatGetCpusOfOneCache() {
    KubeletEvents events = cpuEvents();
    events.cpusOwned(pod(), "alone", CpuSet.of(1), true);
    events.cpusOwned(pod(), "together", CpuSet.of(2, 3), true);
    events.cpusOwned(pod(), "together", CpuSet.of(2, 3), false);
    events.cpusOwned(pod(), "apart", CpuSet.of(3, 4), true);

    assertThat(boundary("count", "uncore_cache")).isEqualTo("2");
    assertThat(boundary("count", "physical_cpu")).isEqualTo("0");
  }

  /// On two sockets with four CPUs each.
  private KubeletEvents cpuEvents(CpuOption... options) {
    CpuSettings cpus = CpuSettings.reserving(1).with(CpuOptions.of(options));
    return new CountedEvents(
        metrics,
        SETTINGS
            .withTopology(TopologySettings.DEFAULTS, NumaMachine.regular(2, 4, 1 << 30))
            .withHost(new HostSettings(cpus, MemorySettings.NONE, Optional.empty())),
        KubeletEvents.NONE);
  }

  private String boundary(String which, String boundary) {
    return alignment(which, "container", boundary);
  }

  @Test
  void whatIsCountedIsToldOn() {
    List<String> told = new ArrayList<>();
    var events =
        new CountedEvents(
            metrics,
            SETTINGS,
            new KubeletEvents() {
              @Override
              public void containerPlaced(PodSpec pod, String container) {
                told.add(container);
              }

              @Override
              public void cpusOwned(PodSpec pod, String container, CpuSet cpus, boolean anew) {
                told.add(container + " " + cpus);
              }

              @Override
              public void podRefused(Admission.Refused why) {
                told.add(why.reason());
              }

              @Override
              public void podDecided(PodSpec pod, Admission admission, Duration took) {
                told.add(pod.name());
              }
            });

    events.containerPlaced(pod(), "main");
    events.cpusOwned(pod(), "main", CpuSet.of(3), true);
    events.podRefused(new Admission.Refused("OutOfcpu", "why"));
    events.podDecided(pod(), MISALIGNED, Duration.ZERO);

    assertThat(told).containsExactly("main", "main 3", "OutOfcpu", "two");
    assertThat(lines()).contains("kubelet_admission_rejections_total{reason=\"OutOfcpu\"} 1");
  }

  private KubeletEvents events(String policy, String scope) {
    return new CountedEvents(
        metrics,
        SETTINGS.withTopology(TopologySettings.of(policy, scope), SETTINGS.machine()),
        KubeletEvents.NONE);
  }

  /// The number, or a dash when it is not shown.
  private String alignment(String which, String scope) {
    return alignment(which, scope, "numa_node");
  }

  private String alignment(String which, String scope, String boundary) {
    String name =
        "kubelet_container_aligned_compute_resources_%s{scope=\"%s\",boundary=\"%s\"} "
            .formatted(which, scope, boundary);
    return lines().stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()))
        .findFirst()
        .orElse("-");
  }

  private List<String> lines() {
    return metrics.text().lines().toList();
  }

  private static PodSpec pod() {
    return new PodSpec(
        "uid",
        "default",
        "two",
        Map.of(),
        List.of(Pods.container("prepare", Map.of(), false)),
        List.of(Pods.container("main", Map.of(), false)),
        PodSpec.RestartPolicy.ALWAYS);
  }
}
