package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.pods.PodSpec.DraBacked;
import dev.patchbay.model.ResourceName;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

/// What is handed on of a pod of the API server.
final class PodReadingTest {
  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: p, namespace: default, uid: u-1, resourceVersion: "7"}
      spec:
        nodeName: n
        schedulerName: default-scheduler
        containers:
          - {name: main, image: x, resources: {limits: {a.b/c: 1}}, imagePullPolicy: Always}
      status:
        phase: Pending
        qosClass: BestEffort
        extendedResourceClaimStatus:
          resourceClaimName: p-extended-resources-x
          requestMappings: [{containerName: main, resourceName: a.b/c, requestName: container-0}]
      """;

  private final KubernetesSerialization json = new KubernetesSerialization();

  @Test
  void whatTheSchedulerGaveADynamicResourceForIsKnown() {
    assertThat(read(POD).spec().draBacked())
        .containsExactly(new DraBacked("main", ResourceName.of("a.b/c")));
    assertThat(read(POD).leftOut()).contains("status.extendedResourceClaimStatus");
  }

  @Test
  void withoutItsStatusThePodIsTheSameAndNothingIsLeftOut() {
    PodReading.Understood read = read(POD.substring(0, POD.indexOf("status:")));

    assertThat(read.spec().draBacked()).isEmpty();
    assertThat(read.spec().uid()).isEqualTo("u-1");
    assertThat(read.leftOut()).isEmpty();
  }

  private PodReading.Understood read(String yaml) {
    return switch (PodReading.of(json.unmarshal(yaml, Pod.class), "10.0.0.1", json)) {
      case PodReading.Understood understood -> understood;
      case PodReading.Unsupported(String why) -> throw new AssertionError(why);
    };
  }
}
