package dev.patchbay.kubelet.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.metrics.KubeletMetrics.ApiVersion;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Boundary;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Plugins;
import dev.patchbay.kubelet.metrics.KubeletMetrics.PodResourcesMethod;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Scope;
import dev.patchbay.model.ResourceName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KubeletMetricsTest {
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");

  private final KubeletMetrics metrics = new KubeletMetrics();

  @Test
  void withoutAnyEventOnlyWhatHasNoLabelsIsShown() {
    assertThat(metrics.text().lines().filter(line -> line.startsWith("# TYPE")))
        .containsExactly(
            "# TYPE kubelet_topology_manager_admission_requests_total counter",
            "# TYPE kubelet_topology_manager_admission_errors_total counter",
            "# TYPE kubelet_topology_manager_admission_duration_ms histogram");
    assertThat(lines())
        .contains(
            "kubelet_topology_manager_admission_requests_total 0",
            "kubelet_topology_manager_admission_duration_ms_sum 0");
  }

  @Test
  void aHistogramCountsUpToEachBound() {
    metrics.allocation(NIC, Duration.ofMillis(5));
    metrics.allocation(NIC, Duration.ofMillis(30));
    metrics.allocation(NIC, Duration.ofSeconds(11));

    String name = "kubelet_device_plugin_alloc_duration_seconds";
    String label = "resource_name=\"vendor.example/nic\"";
    assertThat(lines())
        .containsSubsequence(
            name + "_bucket{" + label + ",le=\"0.005\"} 1",
            name + "_bucket{" + label + ",le=\"0.01\"} 1",
            name + "_bucket{" + label + ",le=\"0.025\"} 1",
            name + "_bucket{" + label + ",le=\"0.05\"} 2",
            name + "_bucket{" + label + ",le=\"1\"} 2",
            name + "_bucket{" + label + ",le=\"10\"} 2",
            name + "_bucket{" + label + ",le=\"+Inf\"} 3",
            name + "_sum{" + label + "} 11.035",
            name + "_count{" + label + "} 3");
  }

  @Test
  void anAdmissionIsObservedInWholeMilliseconds() {
    metrics.topologyAdmission(Duration.ofNanos(999_999));
    metrics.topologyAdmission(Duration.ofNanos(3_700_000));

    assertThat(lines())
        .contains(
            "kubelet_topology_manager_admission_requests_total 2",
            "kubelet_topology_manager_admission_errors_total 0",
            "kubelet_topology_manager_admission_duration_ms_bucket{le=\"0.05\"} 1",
            "kubelet_topology_manager_admission_duration_ms_bucket{le=\"3.2\"} 2",
            "kubelet_topology_manager_admission_duration_ms_bucket{le=\"819.2\"} 2",
            "kubelet_topology_manager_admission_duration_ms_sum 3");
  }

  @Test
  void callsOfPodResourcesAreCountedByVersionAndThoseOfTheNewerOneByMethod() {
    metrics.podResourcesCall(ApiVersion.V1, PodResourcesMethod.LIST);
    metrics.podResourcesCall(ApiVersion.V1, PodResourcesMethod.GET);
    metrics.podResourcesError(ApiVersion.V1, PodResourcesMethod.GET);
    metrics.podResourcesCall(ApiVersion.V1ALPHA1, PodResourcesMethod.LIST);

    String name = "kubelet_pod_resources_endpoint_";
    assertThat(lines().stream().filter(line -> line.startsWith(name)))
        .containsExactly(
            name + "requests_total{server_api_version=\"v1\"} 2",
            name + "requests_total{server_api_version=\"v1alpha1\"} 1",
            name + "requests_list{server_api_version=\"v1\"} 1",
            name + "requests_get{server_api_version=\"v1\"} 1",
            name + "errors_get{server_api_version=\"v1\"} 1");
  }

  @ParameterizedTest
  @CsvSource({
    "UnexpectedAdmissionError, UnexpectedAdmissionError",
    "TopologyAffinityError, TopologyAffinityError",
    "OutOfcpu, OutOfcpu",
    "OutOfvendor.example/nic, OutOfExtendedResources",
    "SMTAlignmentError, Other",
    "anything at all, Other",
  })
  void aRefusalIsCountedUnderItsReasonOrTheKindOfIt(String reason, String label) {
    metrics.admissionRejected(reason);

    assertThat(lines()).contains("kubelet_admission_rejections_total{reason=\"" + label + "\"} 1");
  }

  @Test
  void whatMayBeAlignedIsShownBeforeAnythingIs() {
    metrics.showAlignment(Scope.CONTAINER, Boundary.NUMA_NODE);
    metrics.showAlignment(Scope.CONTAINER, Boundary.UNCORE_CACHE);
    metrics.notAligned(Scope.CONTAINER, Boundary.NUMA_NODE);

    String name = "kubelet_container_aligned_compute_resources_";
    assertThat(lines().stream().filter(line -> line.startsWith(name)))
        .containsExactly(
            name + "count{scope=\"container\",boundary=\"numa_node\"} 0",
            name + "count{scope=\"container\",boundary=\"uncore_cache\"} 0",
            name + "failure_count{scope=\"container\",boundary=\"numa_node\"} 1");
  }

  @Test
  void pluginsAreCountedWhenSomebodyAsks() {
    metrics.plugins(() ->
        new Plugins(
            List.of(Path.of("/r/a.sock"), Path.of("/r/b.sock")), List.of(Path.of("/r/a.sock"))));

    assertThat(lines().stream().filter(line -> line.startsWith("plugin_manager")))
        .containsExactly(
            "plugin_manager_total_plugins{socket_path=\"/r/a.sock\",state=\"actual_state_of_world\"} 1",
            "plugin_manager_total_plugins{socket_path=\"/r/a.sock\",state=\"desired_state_of_world\"} 1",
            "plugin_manager_total_plugins{socket_path=\"/r/b.sock\",state=\"desired_state_of_world\"} 1");
  }

  @Test
  void aNameThatAPluginMadeUpStaysOneLabel() {
    metrics.registration("a\"} 7\nb\\");

    assertThat(lines())
        .contains("kubelet_device_plugin_registration_total{resource_name=\"a\\\"} 7\\nb\\\\\"} 1");
  }

  @Test
  void namesWithoutEndDoNotFillTheMemory() {
    IntStream.range(0, 5 * Figures.MAX_SERIES).forEach(i -> metrics.registration("name-" + i));
    metrics.registration("name-0");
    metrics.registration("x".repeat(100_000));

    List<String> lines =
        lines().stream().filter(line -> line.startsWith("kubelet_device_plugin_reg")).toList();
    assertThat(lines)
        .hasSize(Figures.MAX_SERIES + 1)
        .contains(
            "kubelet_device_plugin_registration_total{resource_name=\"name-0\"} 2",
            "kubelet_device_plugin_registration_total{resource_name=\"Other\"} "
                + (4 * Figures.MAX_SERIES + 1));
    assertThat(lines).allMatch(line -> line.length() < 400);
  }

  @Test
  void socketsWithoutEndDoNotFillThePage() {
    List<Path> sockets =
        IntStream.range(0, 5 * Figures.MAX_SERIES).mapToObj(i -> Path.of("/r/" + i)).toList();
    Path deep = Path.of("/r/" + "deep/".repeat(800) + "x.sock");
    metrics.plugins(() -> new Plugins(sockets, List.of(deep, deep.resolve("y"), sockets.get(7))));

    List<String> lines = lines().stream().filter(line -> line.startsWith("plugin_man")).toList();
    assertThat(lines)
        .hasSize(Figures.MAX_SERIES + 1)
        .contains(
            "plugin_manager_total_plugins{socket_path=\"/r/7\",state=\"actual_state_of_world\"} 1",
            "plugin_manager_total_plugins{socket_path=\"%s\",state=\"actual_state_of_world\"} 2"
                .formatted(deep.toString().substring(0, Figures.MAX_VALUE)),
            "plugin_manager_total_plugins{socket_path=\"Other\",state=\"desired_state_of_world\"} "
                + (4 * Figures.MAX_SERIES + 2));
  }

  /// Whatever is in a name, it is one line of text, and two names that look alike are one series.
  @ParameterizedTest
  @ValueSource(ints = {0, 9, 13, 31, 127})
  void aNameWithControlCharactersStaysOneLine(int code) {
    var control = (char) code;
    metrics.registration("a" + control + "b");
    metrics.registration("a\uFFFDb");

    assertThat(lines())
        .contains("kubelet_device_plugin_registration_total{resource_name=\"a\uFFFDb\"} 2");
  }

  @Test
  void aNameIsNotCutWithinACharacter() {
    String most = "x".repeat(Figures.MAX_VALUE - 1);
    metrics.registration(most + "\uD83D\uDE00");
    metrics.registration(most + "\uD83E\uDD80");

    assertThat(lines())
        .contains("kubelet_device_plugin_registration_total{resource_name=\"" + most + "\"} 2");
  }

  @Test
  void aLabelThatIsMissingIsAMistake() {
    assertThatThrownBy(() -> new Figures().count(Metric.ALIGNED, "pod"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("boundary");
  }

  /// What a Prometheus server accepts.
  @Test
  void everyLineHasTheFormatsShape() {
    metrics.registration("ü \"\\");
    metrics.allocation(NIC, Duration.ofNanos(15));
    metrics.admissionRejected("x");

    var shape =
        Pattern.compile(
            "# HELP [a-z_]+ [^\\n]+|# TYPE [a-z_]+ (counter|gauge|histogram)"
                + "|[a-z_]+(\\{([a-z_]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\",?)+})? [0-9]+(\\.[0-9]+)?(E-?[0-9]+)?");
    assertThat(metrics.text()).endsWith("\n");
    assertThat(metrics.text().lines()).allMatch(line -> shape.matcher(line).matches());
  }

  private List<String> lines() {
    return metrics.text().lines().toList();
  }
}
