package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// How a pod's status says how its devices are: `allocatedResourcesStatus`.
final class PodStatusTextTest {
  private static final String NIC = "vendor.example/nic";

  @Test
  void theDevicesOfAnAppContainerAreShownOneByOne() {
    assertThat(health(status(true).getContainerStatuses().getFirst()))
        .containsExactly(NIC + " nic-0=Healthy", NIC + " nic-1=Unhealthy");
  }

  @Test
  void thoseOfAnInitContainerAreNot() {
    assertThat(health(status(true).getInitContainerStatuses().getFirst())).isEmpty();
  }

  /// The default up to 1.35.
  @Test
  void withoutTheGateNoneAreShown() {
    assertThat(health(status(false).getContainerStatuses().getFirst())).isEmpty();
  }

  private static List<String> health(ContainerStatus status) {
    return status.getAllocatedResourcesStatus().stream()
        .flatMap(row ->
            row.getResources().stream()
                .map(each ->
                    "%s %s=%s".formatted(row.getName(), each.getResourceID(), each.getHealth())))
        .toList();
  }

  private static PodStatus status(boolean showsHealth) {
    return new PodStatusText("192.0.2.1", showsHealth)
        .of(
            new PodStatusText.Known("default", "one", "uid", Map.of(), Map.of()),
            new PodStatus(),
            new PodState(
                "uid",
                "default",
                "one",
                "API server",
                Phase.RUNNING,
                "",
                "",
                false,
                List.of(container("prepare", true), container("main", false))),
            Instant.EPOCH);
  }

  private static ContainerState container(String name, boolean init) {
    return new ContainerState(
        name,
        init,
        false,
        Activity.RUNNING,
        "",
        "",
        1,
        -1,
        0,
        new TreeMap<>(Map.of(NIC, List.of("nic-0", "nic-1"))),
        new TreeMap<>(Map.of(NIC, List.of("nic-1"))),
        ContainerEdits.NONE,
        "");
  }
}
