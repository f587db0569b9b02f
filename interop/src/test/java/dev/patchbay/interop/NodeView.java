package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.ContainerDevices;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/// The real kubelet's own account of its node: its read-only port, its PodResources socket read by
/// our generated client, its checkpoint, and the logs of its containers.
///
/// @param dir the directory of the node's private place
/// @param node the node's name, which static pods have as suffix
/// @param port the read-only port
record NodeView(Path dir, String node, int port) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// A pod that the kubelet knows, by the name in its manifest.
  Optional<JsonNode> pod(String name) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/pods")).build();
      JsonNode pods =
          JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
      for (JsonNode pod : pods.path("items"))
        if (pod.at("/metadata/name").asText().equals(name + "-" + node)) return Optional.of(pod);
      return Optional.empty();
    }
  }

  /// The pod's status; empty while the kubelet is down or does not know the pod.
  JsonNode status(String name) throws InterruptedException {
    try {
      return pod(name).map(it -> it.path("status")).orElse(JSON.missingNode());
    } catch (IOException e) {
      return JSON.missingNode();
    }
  }

  /// What the pod's first container wrote, without the runtime's time stamps.
  List<String> output(String name) throws IOException {
    Path logs = dir.resolve("log/pods");
    if (Files.notExists(logs)) return List.of();
    try (Stream<Path> pods = Files.list(logs)) {
      Optional<Path> log =
          pods.filter(it ->
                  it.getFileName().toString().startsWith("default_" + name + "-" + node + "_"))
              .map(it -> it.resolve("main/0.log"))
              .filter(Files::exists)
              .findFirst();
      return log.isEmpty()
          ? List.of()
          : Files.readAllLines(log.get()).stream().map(line -> line.split(" ", 4)[3]).toList();
    }
  }

  /// The devices of a resource that could be given away, held or not; none while the kubelet is
  /// down.
  SortedSet<String> allocatable(String resource) throws IOException {
    return askOr(
        new TreeSet<>(),
        stub ->
            ids(
                resource,
                stub
                    .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
                    .getDevicesList()
                    .stream()));
  }

  /// What List says of a pod, and so do its single Get; empty when it is not listed.
  Optional<PodResources> listed(String name) throws IOException {
    return askOr(
        Optional.empty(),
        stub ->
            stub.list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList().stream()
                .filter(it -> it.getName().equals(name + "-" + node))
                .findFirst());
  }

  /// What Get says of a pod.
  PodResources got(String name) throws IOException {
    return ask(stub ->
        stub.get(
                GetPodResourcesRequest.newBuilder()
                    .setPodName(name + "-" + node)
                    .setPodNamespace("default")
                    .build())
            .getPodResources());
  }

  /// The devices that a pod holds, by List.
  SortedSet<String> held(String name, String resource) throws IOException {
    return listed(name).map(pod -> devices(pod, resource)).orElseGet(TreeSet::new);
  }

  /// The devices of a resource in what List or Get said of a pod.
  static SortedSet<String> devices(PodResources pod, String resource) {
    return ids(
        resource, pod.getContainersList().stream().flatMap(it -> it.getDevicesList().stream()));
  }

  private static SortedSet<String> ids(String resource, Stream<ContainerDevices> devices) {
    SortedSet<String> ids = new TreeSet<>();
    devices
        .filter(it -> it.getResourceName().equals(resource))
        .forEach(it -> ids.addAll(it.getDeviceIdsList()));
    return ids;
  }

  private <T> T askOr(T otherwise, Function<PodResourcesListerBlockingStub, T> question)
      throws IOException {
    try {
      return ask(question);
    } catch (StatusRuntimeException e) {
      return otherwise;
    }
  }

  private <T> T ask(Function<PodResourcesListerBlockingStub, T> question) throws IOException {
    try (Transport transport = Transport.open();
        var channel = transport.connect(dir.resolve("lib/kubelet/pod-resources/kubelet.sock"))) {
      return question.apply(
          PodResourcesListerGrpc.newBlockingStub(channel.grpc())
              .withDeadlineAfter(10, TimeUnit.SECONDS));
    }
  }
}
