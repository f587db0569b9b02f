package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// In whichever order a manifest names the resources of a container, everything comes out the same:
/// who is asked first, what is held, whose variable wins, what is on disk, why a pod is refused.
class ResourceOrderTest {
  private static final ResourceName FPGA = ResourceName.of("vendor.example/fpga");
  private static final List<List<ResourceName>> ORDERS =
      List.of(
          List.of(FPGA, GPU, NIC),
          List.of(FPGA, NIC, GPU),
          List.of(GPU, FPGA, NIC),
          List.of(GPU, NIC, FPGA),
          List.of(NIC, FPGA, GPU),
          List.of(NIC, GPU, FPGA));

  @ParameterizedTest
  @CsvSource({
    "none,             container",
    "best-effort,      container",
    "restricted,       container",
    "single-numa-node, container",
    "best-effort,      pod"
  })
  void theOrderOfAContainersResourcesDoesNotMatter(String policy, String scope) throws IOException {
    Set<String> outcomes = new LinkedHashSet<>();
    for (List<ResourceName> order : ORDERS)
      try (KubeletSide kubelet = KubeletSide.started()) {
        kubelet.restartWith(usual ->
            usual.withTopology(TopologySettings.of(policy, scope), NumaMachine.regular(2, 1, 1)));
        outcomes.add(outcome(kubelet, order));
      }

    assertThat(outcomes).as("as many as there are different ones").hasSize(1);
  }

  private static String outcome(KubeletSide kubelet, List<ResourceName> order) throws IOException {
    List<ResourceName> asked = new CopyOnWriteArrayList<>();
    plugin(kubelet, asked, FPGA, device("f0", 0), device("f1", 1));
    plugin(kubelet, asked, GPU, device("g0", 0), device("g1", 1), device("h0", 0));
    plugin(kubelet, asked, NIC, device("n0", 0), device("n1", 1), device("o0", 0));
    kubelet.settled();
    PodSpec fits =
        pod(
            "fits",
            List.of(container("init", order, Map.of(FPGA, 1L, GPU, 1L, NIC, 1L))),
            container("main", order, Map.of(FPGA, 1L, GPU, 2L, NIC, 2L)));
    kubelet.admit(fits);
    PodSpec tooMuch =
        pod("refused", List.of(), container("main", order, Map.of(FPGA, 5L, GPU, 5L, NIC, 5L)));
    return String.join(
        "\n",
        kubelet.manager().held().toString(),
        kubelet.manager().runOptions(fits, "main").orElseThrow().toString(),
        kubelet.manager().affinity("fits", "main").toString(),
        kubelet.manager().hints(fits, fits.containers().getFirst()).toString(),
        kubelet.refusal(tooMuch),
        asked.toString(),
        Files.readString(kubelet.directory().resolve(CheckpointFile.NAME)));
  }

  private static void plugin(
      KubeletSide kubelet, List<ResourceName> asked, ResourceName resource, Device... devices) {
    ScriptedPlugin plugin = kubelet.registered(resource, "starting").list(devices);
    kubelet.awaitAllocatable(resource, devices.length);
    plugin.allocate =
        (_, observer) -> {
          asked.add(resource);
          observer.onNext(edits(edits -> edits.putEnvs("WHOSE", resource.toString())));
          observer.onCompleted();
        };
  }

  private static ContainerSpec container(
      String name, List<ResourceName> order, Map<ResourceName, Long> counts) {
    var limits = new LinkedHashMap<ResourceName, Long>();
    for (ResourceName each : order) limits.put(each, counts.getOrDefault(each, 0L));
    return Pods.container(name, limits, false);
  }
}
