package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.metrics.KubeletMetrics.ApiVersion;
import dev.patchbay.kubelet.metrics.KubeletMetrics.PodResourcesMethod;
import dev.patchbay.kubelet.podresources.Answers.HeldEntries;
import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.proto.podresources.v1alpha1.ContainerDevices;
import dev.patchbay.proto.podresources.v1alpha1.ContainerResources;
import dev.patchbay.proto.podresources.v1alpha1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1alpha1.ListPodResourcesResponse;
import dev.patchbay.proto.podresources.v1alpha1.PodResources;
import dev.patchbay.proto.podresources.v1alpha1.PodResourcesListerGrpc;
import io.grpc.stub.StreamObserver;

/// The service `v1alpha1.PodResourcesLister`: devices without their nodes, of the containers that
/// are no init containers, of every pod that the kubelet knows.
final class PodResourcesV1Alpha1 extends PodResourcesListerGrpc.PodResourcesListerImplBase {
  private final NodeHoldings node;
  private final KubeletMetrics metrics;

  PodResourcesV1Alpha1(NodeHoldings node, KubeletMetrics metrics) {
    this.node = node;
    this.metrics = metrics;
  }

  @Override
  public void list(
      ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
    metrics.podResourcesCall(ApiVersion.V1ALPHA1, PodResourcesMethod.LIST);
    node.collectGarbage();
    var answers = new Answers(false, false, new HeldEntries());
    var answer = ListPodResourcesResponse.newBuilder();
    for (PodHoldings pod : PodOrder.sorted(node.pods())) {
      var one = PodResources.newBuilder().setName(pod.name()).setNamespace(pod.namespace());
      for (ContainerHoldings container : pod.containers())
        one.addContainers(container(container, answers));
      answer.addPodResources(one);
    }
    observer.onNext(answer.build());
    observer.onCompleted();
  }

  /// With as many entries as in the newer version, one for each device and node.
  private static ContainerResources container(ContainerHoldings container, Answers answers) {
    var answer = ContainerResources.newBuilder().setName(container.name());
    answers
        .held(container.devices())
        .forEach(entry ->
            answer.addDevices(
                ContainerDevices.newBuilder()
                    .setResourceName(entry.getResourceName())
                    .addAllDeviceIds(entry.getDeviceIdsList())));
    return answer.build();
  }
}
