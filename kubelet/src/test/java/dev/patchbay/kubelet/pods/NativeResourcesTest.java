package dev.patchbay.kubelet.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeResourcesTest {
  @Test
  void readsCpuInMillicoresAndMemoryInBytesRoundedUp() {
    PodSpec pod =
        pod("{limits: {cpu: 1500u, memory: 1Gi, hugepages-2Mi: 4Mi}, requests: {memory: 512Mi}}");

    NativeResources resources = pod.containers().getFirst().resources();
    assertThat(resources.limits())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("cpu", 2L, "memory", 1L << 30, "hugepages-2Mi", 4L << 20));
    assertThat(resources.requests())
        .as("the limit is the request where only a limit is given")
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("cpu", 2L, "memory", 512L << 20, "hugepages-2Mi", 4L << 20));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{limits: {cpu: 2, memory: 1Gi}}                                    | GUARANTEED",
        "{limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 2000m}}            | GUARANTEED",
        "{limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}}                | BURSTABLE",
        "{limits: {cpu: 2}}                                                 | BURSTABLE",
        "{requests: {memory: 1}}                                            | BURSTABLE",
        "{}                                                                 | BEST_EFFORT",
        "{limits: {cpu: 0}}                                                 | BEST_EFFORT",
        "{limits: {example.com/a: 1}}                                       | BEST_EFFORT"
      })
  void cpuAndMemoryDecideTheQualityOfService(String resources, QosClass expected) {
    assertThat(pod(resources).qosClass()).isEqualTo(expected);
  }

  @Test
  void oneContainerWithoutLimitsMakesThePodBurstable() {
    assertThat(
            pod("{limits: {cpu: 2, memory: 1Gi}}}, {name: d, image: i, resources: {}").qosClass())
        .isEqualTo(QosClass.BURSTABLE);
  }

  @Test
  void readsWhichClaimsAContainerUses() {
    PodSpec pod = pod("{claims: [{name: gpu, request: first}, {name: nic}]}");

    assertThat(pod.containers().getFirst().claims())
        .containsExactly(
            new DraClaim.Use("gpu", Optional.of("first")),
            new DraClaim.Use("nic", Optional.empty()));
  }

  @Test
  void aQuantityThatIsNoneIsAProblem() {
    PodManifest manifest =
        PodManifests.read("p.yaml", manifest("{limits: {cpu: -1, memory: many}}"));

    assertThat(manifest.problems())
        .extracting(PodManifest.Problem::field)
        .containsExactlyInAnyOrder(
            "spec.containers[0].resources.limits.cpu",
            "spec.containers[0].resources.limits.memory");
  }

  private static PodSpec pod(String resources) {
    PodManifest manifest = PodManifests.read("p.yaml", manifest(resources));
    assertThat(manifest.problems()).isEmpty();
    return manifest.pods().getFirst();
  }

  private static String manifest(String resources) {
    return """
    {apiVersion: v1, kind: Pod, metadata: {name: p},
     spec: {containers: [{name: c, image: i, resources: %s}]}}
    """
        .formatted(resources);
  }
}
