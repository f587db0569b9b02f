package dev.patchbay.interop.differential;

import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.ContainerDevices;
import dev.patchbay.proto.podresources.v1.ContainerMemory;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/// What the PodResources socket answers, sorted where the order is arbitrary.
final class PodResourcesView {
  private PodResourcesView() {}

  /// Asks all methods of both versions.
  ///
  /// @param pods names of the pods to ask Get for
  /// @return method, with its subject -> answer, line by line
  static SortedMap<String, List<String>> ask(
      Transport transport, Path socket, Collection<String> pods) throws IOException {
    SortedMap<String, List<String>> seen = new TreeMap<>();
    try (UnixChannel channel = transport.connect(socket)) {
      var v1 = PodResourcesListerGrpc.newBlockingStub(channel.grpc());
      var v1alpha1 =
          dev.patchbay.proto.podresources.v1alpha1.PodResourcesListerGrpc.newBlockingStub(
              channel.grpc());
      seen.put(
          "List",
          answer(() ->
              v1.list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList().stream()
                  .flatMap(pod -> lines(pod).stream())
                  .sorted()
                  .toList()));
      seen.put("GetAllocatableResources", answer(() -> allocatable(v1)));
      for (String pod : pods)
        seen.put(
            "Get " + pod,
            answer(() ->
                lines(
                    v1.get(
                            GetPodResourcesRequest.newBuilder()
                                .setPodNamespace("default")
                                .setPodName(pod)
                                .build())
                        .getPodResources())));
      seen.put(
          "v1alpha1 List",
          answer(() ->
              v1alpha1
                  .list(
                      dev.patchbay.proto.podresources.v1alpha1.ListPodResourcesRequest
                          .getDefaultInstance())
                  .getPodResourcesList()
                  .stream()
                  .flatMap(PodResourcesView::alphaLines)
                  .sorted()
                  .toList()));
    }
    return seen;
  }

  /// A refusal is an answer too, but that of the rate limit: it has to be asked again.
  private static List<String> answer(Supplier<List<String>> call) {
    List<List<String>> answers = new ArrayList<>();
    Patience.await(
        "an answer of PodResources",
        () -> {
          try {
            answers.add(call.get());
            return true;
          } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED) return false;
            answers.add(List.of(e.getStatus().getCode() + ": " + e.getStatus().getDescription()));
            return true;
          }
        },
        () -> "rejected by the rate limit");
    return answers.getFirst();
  }

  private static List<String> lines(PodResources pod) {
    String name = pod.getNamespace() + "/" + pod.getName();
    List<String> all = new ArrayList<>(List.of(name));
    int index = 0;
    for (var container : pod.getContainersList()) {
      String at = name + " " + index++ + " " + container.getName();
      all.add(at + " cpus " + container.getCpuIdsList().stream().sorted().toList());
      memory(container.getMemoryList()).forEach(line -> all.add(at + " " + line));
      devices(container.getDevicesList()).forEach(line -> all.add(at + " " + line));
    }
    return all;
  }

  private static List<String> devices(List<ContainerDevices> devices) {
    return devices.stream()
        .map(each ->
            each.getResourceName()
                + " "
                + each.getDeviceIdsList().stream().sorted().toList()
                + (each.hasTopology()
                    ? " on "
                        + each.getTopology().getNodesList().stream().map(n -> n.getID()).toList()
                    : ""))
        .sorted()
        .toList();
  }

  private static List<String> memory(List<ContainerMemory> blocks) {
    return blocks.stream()
        .map(block ->
            "%s %d on %s"
                .formatted(
                    block.getMemoryType(),
                    block.getSize(),
                    block.getTopology().getNodesList().stream()
                        .map(node -> node.getID())
                        .sorted()
                        .toList()))
        .sorted()
        .toList();
  }

  private static List<String> allocatable(
      PodResourcesListerGrpc.PodResourcesListerBlockingStub v1) {
    var answer = v1.getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance());
    List<String> all = new ArrayList<>(devices(answer.getDevicesList()));
    all.add("cpus " + answer.getCpuIdsList().stream().sorted().toList());
    all.addAll(memory(answer.getMemoryList()));
    return all;
  }

  private static java.util.stream.Stream<String> alphaLines(
      dev.patchbay.proto.podresources.v1alpha1.PodResources pod) {
    String name = pod.getNamespace() + "/" + pod.getName();
    List<String> all = new ArrayList<>(List.of(name));
    for (var container : pod.getContainersList()) {
      all.add(name + " " + container.getName());
      container
          .getDevicesList()
          .forEach(each ->
              all.add(
                  name
                      + " "
                      + container.getName()
                      + " "
                      + each.getResourceName()
                      + " "
                      + each.getDeviceIdsList().stream().sorted().toList()));
    }
    return all.stream();
  }
}
