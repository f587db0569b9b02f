package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.metrics.KubeletMetrics.ApiVersion;
import dev.patchbay.kubelet.metrics.KubeletMetrics.PodResourcesMethod;
import dev.patchbay.kubelet.podresources.Answers.HeldEntries;
import dev.patchbay.kubelet.podresources.PodResourcesSettings.Gate;
import dev.patchbay.kubelet.wire.Excerpt;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesResponse;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.GetPodResourcesResponse;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesResponse;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/// The service `v1.PodResourcesLister`.
final class PodResourcesV1 extends PodResourcesListerGrpc.PodResourcesListerImplBase {
  private final NodeHoldings node;
  private final PodResourcesSettings settings;
  private final KubeletMetrics metrics;
  private volatile HeldEntries lastListed = new HeldEntries();

  PodResourcesV1(NodeHoldings node, PodResourcesSettings settings, KubeletMetrics metrics) {
    this.node = node;
    this.settings = settings;
    this.metrics = metrics;
  }

  @Override
  public void list(
      ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
    metrics.podResourcesCall(ApiVersion.V1, PodResourcesMethod.LIST);
    node.collectGarbage();
    Answers answers = answers();
    var answer = ListPodResourcesResponse.newBuilder();
    boolean withoutEnded = settings.has(Gate.KUBELET_POD_RESOURCES_LIST_USE_ACTIVE_PODS);
    PodOrder.sorted(node.pods()).stream()
        .filter(pod -> pod.active() || !withoutEnded)
        .forEach(pod -> answer.addPodResources(answers.pod(pod)));
    lastListed = answers.used();
    observer.onNext(answer.build());
    observer.onCompleted();
  }

  @Override
  public void get(
      GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
    metrics.podResourcesCall(ApiVersion.V1, PodResourcesMethod.GET);
    if (!settings.has(Gate.KUBELET_POD_RESOURCES_GET)) {
      refuse(PodResourcesMethod.GET, "PodResources API Get method disabled", observer);
      return;
    }
    Optional<PodHoldings> pod =
        node.pod(request.getPodNamespace(), request.getPodName()).filter(PodHoldings::active);
    if (pod.isEmpty()) {
      refuse(
          PodResourcesMethod.GET,
          "pod %s in namespace %s not found"
              .formatted(Excerpt.of(request.getPodName()), Excerpt.of(request.getPodNamespace())),
          observer);
      return;
    }
    observer.onNext(
        GetPodResourcesResponse.newBuilder().setPodResources(answers().pod(pod.get())).build());
    observer.onCompleted();
  }

  @Override
  public void getAllocatableResources(
      AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> observer) {
    metrics.podResourcesCall(ApiVersion.V1, PodResourcesMethod.GET_ALLOCATABLE);
    if (!settings.has(Gate.KUBELET_POD_RESOURCES_GET_ALLOCATABLE)) {
      refuse(
          PodResourcesMethod.GET_ALLOCATABLE,
          "PodResources API GetAllocatableResources disabled",
          observer);
      return;
    }
    Allocatable now = node.allocatable();
    observer.onNext(
        AllocatableResourcesResponse.newBuilder()
            .addAllDevices(answers().listed(now.devices()))
            .addAllCpuIds(Answers.cpus(now.cpus()))
            .addAllMemory(Answers.memory(now.memory()))
            .build());
    observer.onCompleted();
  }

  private Answers answers() {
    return new Answers(
        settings.has(Gate.KUBELET_POD_RESOURCES_DYNAMIC_RESOURCES),
        settings.repeatsCdiDevices(),
        lastListed);
  }

  /// As Go's gRPC does with a plain error of a handler.
  private void refuse(PodResourcesMethod method, String why, StreamObserver<?> observer) {
    metrics.podResourcesError(ApiVersion.V1, method);
    observer.onError(Status.UNKNOWN.withDescription(why).asException());
  }
}
