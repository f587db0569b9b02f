package dev.patchbay.kubelet.podresources;

import static dev.patchbay.kubelet.podresources.GivenHoldings.GPU;
import static dev.patchbay.kubelet.podresources.GivenHoldings.NIC;
import static dev.patchbay.kubelet.podresources.GivenHoldings.container;
import static dev.patchbay.kubelet.podresources.GivenHoldings.ended;
import static dev.patchbay.kubelet.podresources.GivenHoldings.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.patchbay.kubelet.RawBytes;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.PodHoldings.ContainerHoldings;
import dev.patchbay.kubelet.podresources.PodHoldings.MemoryShare;
import dev.patchbay.kubelet.podresources.PodResourcesSettings.Gate;
import dev.patchbay.kubelet.pods.DraClaim;
import dev.patchbay.kubelet.pods.DraClaim.AllocatedDevice;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesResponse;
import dev.patchbay.proto.podresources.v1.ContainerDevices;
import dev.patchbay.proto.podresources.v1.ContainerResources;
import dev.patchbay.proto.podresources.v1.DynamicResource;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.NUMANode;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// PodResources as a monitor sees it, over its socket.
@Timeout(60)
final class PodResourcesServerTest {
  private static final String LONG_ID = "GPU-3f1a9c52-77d0-4c1e-9b1e-0123456%05d";

  private final GivenHoldings node = new GivenHoldings();
  private final KubeletMetrics metrics = new KubeletMetrics();
  private final AtomicLong nanos = new AtomicLong();
  private final Transport transport = Transport.open();
  private Path directory = Path.of("");
  private PodResourcesServer server = server(PodResourcesSettings.DEFAULTS);

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/tmp"), "pb").resolve("pod-resources");
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    transport.close();
    Files.deleteIfExists(directory.resolve("kubelet.sock"));
    Files.deleteIfExists(directory);
    Path parent = directory.getParent();
    if (parent != null) Files.deleteIfExists(parent);
  }

  @Test
  void aDeviceHasAnEntryForEachOfItsNodes() throws IOException {
    node.pods.add(pod("holder", container("main", NIC, "-1:c 0:a,b 1:b")));
    start();

    assertThat(devices(only(listed()))).containsExactly("a@0", "b@0", "b@1", "c");
  }

  /// What did not change is used again from the answer before.
  @Test
  void eachListShowsWhatIsHeldThen() throws IOException {
    PodHoldings stays = pod("stays", container("main", NIC, "0:a"));
    node.pods.addAll(List.of(pod("changes", container("main", NIC, "0:b")), stays));
    start();
    List<PodResources> before = listed();
    SortedMap<Integer, SortedSet<DeviceId>> same =
        only(stays.containers().getFirst().devices().values());
    node.pods.set(0, pod("changes", container("main", NIC, "1:b,c")));
    node.pods.add(
        pod(
            "z",
            new ContainerHoldings("main", byName(GPU, same), List.of(), List.of(), List.of())));

    List<PodResources> now = listed();

    assertThat(devices(before.getFirst())).containsExactly("b@0");
    assertThat(devices(now.getFirst())).containsExactly("b@1", "c@1");
    assertThat(now.get(1)).isEqualTo(before.get(1));
    assertThat(now.getLast().getContainers(0).getDevices(0).getResourceName())
        .isEqualTo(GPU.toString());
    assertThat(listed()).isEqualTo(now);
  }

  private static SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> byName(
      ResourceName name, SortedMap<Integer, SortedSet<DeviceId>> byNode) {
    SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> all = new TreeMap<>();
    all.put(name, byNode);
    return all;
  }

  @Test
  void podsAndResourcesAreInTheOrderOfTheirNames() throws IOException {
    SortedMap<ResourceName, SortedMap<Integer, SortedSet<DeviceId>>> both = new TreeMap<>();
    both.put(NIC, GivenHoldings.devices("0:n"));
    both.put(GPU, GivenHoldings.devices("0:g"));
    node.pods.add(pod("b", new ContainerHoldings("main", both, List.of(), List.of(), List.of())));
    node.pods.add(pod("a"));
    node.pods.add(new PodHoldings("another", "z", true, List.of(), List.of()));
    start();

    List<PodResources> pods = listed();

    assertThat(pods)
        .extracting(each -> each.getNamespace() + "/" + each.getName())
        .containsExactly("another/z", "default/a", "default/b");
    assertThat(pods.getLast().getContainers(0).getDevicesList())
        .extracting(ContainerDevices::getResourceName)
        .containsExactly(GPU.toString(), NIC.toString());
  }

  @Test
  void aPodWithoutAnythingIsListedToo() throws IOException {
    node.pods.add(pod("poor", container("main")));
    start();

    assertThat(listed())
        .containsExactly(
            PodResources.newBuilder()
                .setName("poor")
                .setNamespace("default")
                .addContainers(ContainerResources.newBuilder().setName("main"))
                .build());
  }

  @Test
  void sidecarsComeBeforeTheOtherContainers() throws IOException {
    node.pods.add(
        new PodHoldings(
            "default", "p", true, List.of(container("proxy")), List.of(container("main"))));
    start();

    assertThat(only(listed()).getContainersList())
        .extracting(ContainerResources::getName)
        .containsExactly("proxy", "main");
  }

  @Test
  void anEndedPodIsNotListed() throws IOException {
    node.pods.add(pod("lives", container("main")));
    node.pods.add(ended("ended", container("main", NIC, "0:a")));
    start();

    assertThat(listed()).extracting(PodResources::getName).containsExactly("lives");
  }

  @Test
  void withoutTheGateAnEndedPodIsListedWithoutWhatItHeld() throws IOException {
    node.pods.add(ended("ended", container("main", NIC, "0:a")));
    start(
        PodResourcesSettings.DEFAULTS.with(Gate.KUBELET_POD_RESOURCES_LIST_USE_ACTIVE_PODS, false));

    assertThat(devices(only(listed()))).isEmpty();
    assertThat(failure(() -> got("ended")))
        .isEqualTo("UNKNOWN: pod ended in namespace default not found");
  }

  @Test
  void getSaysTheSameAsListAndFreesNothing() throws IOException {
    node.pods.add(pod("one", container("main", NIC, "0:a,b")));
    node.pods.add(ended("two", container("main", NIC, "0:c")));
    start();

    PodResources got = got("one");

    assertThat(node.collections).hasValue(0);
    assertThat(got).isEqualTo(only(listed()));
    assertThat(node.collections).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nobody", "ended", ""})
  void getOfAPodThatIsNotThereIsAnError(String name) throws IOException {
    node.pods.add(ended("ended"));
    start();

    assertThat(failure(() -> got(name)))
        .isEqualTo("UNKNOWN: pod " + name + " in namespace default not found");
    assertThat(metrics.text())
        .contains(
            "kubelet_pod_resources_endpoint_requests_get{server_api_version=\"v1\"} 1",
            "kubelet_pod_resources_endpoint_errors_get{server_api_version=\"v1\"} 1");
  }

  @Test
  void aMethodThatIsSwitchedOffSaysSo() throws IOException {
    node.pods.add(pod("one"));
    start(
        PodResourcesSettings.DEFAULTS
            .with(Gate.KUBELET_POD_RESOURCES_GET, false)
            .with(Gate.KUBELET_POD_RESOURCES_GET_ALLOCATABLE, false));

    assertThat(failure(() -> got("one")))
        .isEqualTo("UNKNOWN: PodResources API Get method disabled");
    assertThat(failure(this::allocatable))
        .isEqualTo("UNKNOWN: PodResources API GetAllocatableResources disabled");
    assertThat(listed()).hasSize(1);
    assertThat(metrics.text())
        .contains(
            "kubelet_pod_resources_endpoint_requests_total{server_api_version=\"v1\"} 3",
            "kubelet_pod_resources_endpoint_errors_get{server_api_version=\"v1\"} 1",
            "kubelet_pod_resources_endpoint_errors_get_allocatable{server_api_version=\"v1\"} 1");
  }

  @Test
  void allThatCouldBeGivenIsAllocatable() throws IOException {
    node.allocatable =
        new Allocatable(
            GivenHoldings.listed(
                NIC,
                Device.healthy("a"),
                new Device(DeviceId.of("b"), Health.healthy(), new TreeSet<>(List.of(0, 1)))),
            List.of(2, 3),
            List.of(new MemoryShare("hugepages-2Mi", 4096, List.of(0, 1))));
    start();

    AllocatableResourcesResponse answer = allocatable();

    assertThat(answer.getDevicesList())
        .extracting(PodResourcesServerTest::text)
        .containsExactly("a", "b@0", "b@1");
    assertThat(answer.getCpuIdsList()).containsExactly(2L, 3L);
    assertThat(only(answer.getMemoryList()).getMemoryType()).isEqualTo("hugepages-2Mi");
    assertThat(only(answer.getMemoryList()).getSize()).isEqualTo(4096);
    assertThat(only(answer.getMemoryList()).getTopology().getNodesList())
        .extracting(NUMANode::getID)
        .containsExactly(0L, 1L);
  }

  @Test
  void cpusAndMemoryOfAContainerAreShown() throws IOException {
    node.pods.add(
        pod(
            "pinned",
            new ContainerHoldings(
                "main",
                new TreeMap<>(),
                List.of(4, 5),
                List.of(new MemoryShare("memory", 1L << 40, List.of(1))),
                List.of())));
    start();

    ContainerResources container = only(only(listed()).getContainersList());

    assertThat(container.getCpuIdsList()).containsExactly(4L, 5L);
    assertThat(only(container.getMemoryList()).getSize()).isEqualTo(1L << 40);
    assertThat(only(container.getMemoryList()).getTopology().getNodes(0).getID()).isEqualTo(1);
  }

  private static DraClaim claim() {
    return new DraClaim(
        "gpus",
        "gpus-x7",
        List.of(
            new AllocatedDevice("r", "drv.example", "pool", "d1", "", List.of("x/y=1", "x/y=2")),
            new AllocatedDevice("r", "a.example", "pool", "d0", "share", List.of("x/z=0")),
            new AllocatedDevice("r", "drv.example", "pool", "d3", "", List.of("x/y=3"))));
  }

  @Test
  void aClaimIsShownDeviceByDevice() throws IOException {
    node.pods.add(pod("claims", container("main", claim())));
    start();

    DynamicResource claim =
        only(only(only(listed()).getContainersList()).getDynamicResourcesList());

    assertThat(claim.getClaimName()).isEqualTo("gpus-x7");
    assertThat(claim.getClaimNamespace()).isEqualTo("default");
    assertThat(claimed(claim))
        .containsExactly(
            "a.example/pool/d0 [x/z=0] share",
            "drv.example/pool/d1 [x/y=1, x/y=2]",
            "drv.example/pool/d3 [x/y=3]");
    assertThat(claim.getClaimResources(1).hasShareId()).isFalse();
  }

  @Test
  void onDemandADeviceOfAClaimRepeatsTheCdiDevicesOfThoseBefore() throws IOException {
    node.pods.add(pod("claims", container("main", claim())));
    start(PodResourcesSettings.DEFAULTS.withRepeatedCdiDevices(true));

    assertThat(claimed(only(only(only(listed()).getContainersList()).getDynamicResourcesList())))
        .containsExactly(
            "a.example/pool/d0 [x/z=0] share",
            "drv.example/pool/d1 [x/y=1, x/y=2]",
            "drv.example/pool/d3 [x/y=1, x/y=2, x/y=3]");
  }

  @Test
  void withoutTheirGateClaimsAreNotShown() throws IOException {
    node.pods.add(pod("claims", container("main", claim())));
    start(PodResourcesSettings.DEFAULTS.with(Gate.KUBELET_POD_RESOURCES_DYNAMIC_RESOURCES, false));

    assertThat(only(only(listed()).getContainersList()).getDynamicResourcesList()).isEmpty();
  }

  private static List<String> claimed(DynamicResource claim) {
    return claim.getClaimResourcesList().stream()
        .map(each ->
            "%s/%s/%s %s %s"
                .formatted(
                    each.getDriverName(),
                    each.getPoolName(),
                    each.getDeviceName(),
                    each.getCdiDevicesList().stream().map(cdi -> cdi.getName()).toList(),
                    each.getShareId())
                .strip())
        .toList();
  }

  @Test
  void theOldVersionShowsEveryPodAndNoNodes() throws IOException {
    node.pods.add(
        new PodHoldings(
            "default",
            "lives",
            true,
            List.of(container("proxy", NIC, "0:x")),
            List.of(container("main", NIC, "0:a 1:a,b"))));
    node.pods.add(ended("ended", container("main", NIC, "0:c")));
    start();

    var pods = oldListed();

    assertThat(pods).extracting(each -> each.getName()).containsExactly("ended", "lives");
    assertThat(pods.getFirst().getContainers(0).getDevicesList()).isEmpty();
    assertThat(pods.getLast().getContainersList())
        .extracting(each -> each.getName())
        .containsExactly("main");
    assertThat(pods.getLast().getContainers(0).getDevicesList())
        .extracting(each -> String.join(",", each.getDeviceIdsList()))
        .containsExactly("a", "a", "b");
    assertThat(metrics.text())
        .contains(
            "kubelet_pod_resources_endpoint_requests_total{server_api_version=\"v1alpha1\"} 1")
        .doesNotContain("requests_list{");
  }

  @Test
  void whoAsksTooOftenIsRejectedInBothVersionsAndNotCounted() throws IOException {
    start();
    for (int i = 0; i < 5; i++) {
      listed();
      oldListed();
    }

    String rejected = "RESOURCE_EXHAUSTED: rejected by rate limit";
    assertThat(failure(this::listed)).isEqualTo(rejected);
    assertThat(failure(this::oldListed)).isEqualTo(rejected);
    assertThat(failure(this::allocatable)).isEqualTo(rejected);
    assertThat(metrics.text())
        .contains(
            "requests_total{server_api_version=\"v1\"} 5",
            "requests_total{server_api_version=\"v1alpha1\"} 5");

    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
    assertThat(listed()).isEmpty();
    assertThat(failure(this::listed)).isEqualTo(rejected);
  }

  /// A client takes 4 MiB without asking for more, as this one does: with ids as long as those of
  /// GPUs, an entry takes some 110 bytes.
  @Test
  void aFullNodeIsNotTooMuchForAnybody() throws IOException {
    for (int p = 0; p < 500; p++) {
      int first = p * 8;
      String ids =
          IntStream.range(first, first + 8)
              .mapToObj(LONG_ID::formatted)
              .collect(Collectors.joining(","));
      node.pods.add(
          pod("pod-%03d".formatted(p), container("main", NIC, "0:%s 1:%s".formatted(ids, ids))));
    }
    Device[] all = new Device[10_000];
    for (int i = 0; i < all.length; i++)
      all[i] =
          new Device(
              DeviceId.of(LONG_ID.formatted(i)), Health.healthy(), new TreeSet<>(List.of(0, 1)));
    Collection<Device> devices = List.of(all);
    SortedMap<ResourceName, Collection<Device>> byName = new TreeMap<>();
    byName.put(NIC, devices);
    node.allocatable = new Allocatable(byName, List.of(), List.of());
    start();

    List<PodResources> listed = listed();

    assertThat(listed).hasSize(500);
    assertThat(listed).allSatisfy(pod -> assertThat(devices(pod)).hasSize(16));
    assertThat(devices(listed.getLast())).contains(LONG_ID.formatted(3999) + "@1");
    AllocatableResourcesResponse allocatable = allocatable();
    assertThat(allocatable.getDevicesList()).hasSize(20_000);
    assertThat(allocatable.getSerializedSize()).isBetween(1 << 20, Transport.MAX_MESSAGE_BYTES);
  }

  @Test
  void aRequestThatIsNoMessageIsRefusedAndTheNextServed() throws IOException {
    start();

    for (String method : List.of("List", "Get", "GetAllocatableResources"))
      assertThat(failure(() -> raw("v1.PodResourcesLister/" + method, new byte[] {10, 127, 1})))
          .startsWith("INTERNAL: ");
    assertThat(failure(() -> raw("v1.PodResourcesLister/Watch", new byte[0])))
        .startsWith("UNIMPLEMENTED: ");
    assertThat(listed()).isEmpty();
  }

  @Test
  void noiseOnTheSocketConcernsNobodyElse() throws IOException {
    start();
    try (SocketChannel noise = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      noise.connect(UnixDomainSocketAddress.of(server.socket()));
      noise.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)));

      assertThat(listed()).isEmpty();
    }
  }

  @Test
  void theDirectoryIsMadeForTheGroupAndTheSocketGoesAtTheEnd() throws IOException {
    start();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
        .isEqualTo("rwxr-x---");
    assertThat(server.socket()).exists();

    server.close();
    server.close();
    assertThat(server.socket()).doesNotExist();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theSocketOfAKubeletThatWasKilledIsReplaced() throws IOException {
    Files.createDirectories(directory);
    try (var old = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      old.bind(UnixDomainSocketAddress.of(directory.resolve("kubelet.sock")));
    }
    start();

    assertThat(listed()).isEmpty();
  }

  @Test
  void whatIsNoSocketIsNotRemoved() throws IOException {
    Files.createDirectories(directory);
    Path file = Files.writeString(directory.resolve("kubelet.sock"), "precious");

    assertThatThrownBy(this::start)
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(file.toString(), "no socket");
    assertThat(file).hasContent("precious");
  }

  @Test
  void switchedOffItMakesNothing() throws IOException {
    start(PodResourcesSettings.DEFAULTS.with(Gate.KUBELET_POD_RESOURCES, false));

    assertThat(directory).doesNotExist();
  }

  private void start() throws IOException {
    start(PodResourcesSettings.DEFAULTS);
  }

  private void start(PodResourcesSettings settings) throws IOException {
    server = server(settings);
    server.start();
  }

  private PodResourcesServer server(PodResourcesSettings settings) {
    return new PodResourcesServer(
        directory.resolve("kubelet.sock"), node, settings, metrics, nanos::get);
  }

  private PodResourcesListerBlockingStub stub() throws IOException {
    return PodResourcesListerGrpc.newBlockingStub(transport.connect(server.socket()).grpc())
        .withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  private List<PodResources> listed() throws IOException {
    return stub().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList();
  }

  private List<dev.patchbay.proto.podresources.v1alpha1.PodResources> oldListed()
      throws IOException {
    return dev.patchbay.proto.podresources.v1alpha1.PodResourcesListerGrpc.newBlockingStub(
            transport.connect(server.socket()).grpc())
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .list(dev.patchbay.proto.podresources.v1alpha1.ListPodResourcesRequest.getDefaultInstance())
        .getPodResourcesList();
  }

  private PodResources got(String name) throws IOException {
    return stub()
        .get(
            GetPodResourcesRequest.newBuilder().setPodName(name).setPodNamespace("default").build())
        .getPodResources();
  }

  private AllocatableResourcesResponse allocatable() throws IOException {
    return stub().getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance());
  }

  private byte[] raw(String method, byte[] request) throws IOException {
    var descriptor =
        MethodDescriptor.newBuilder(RawBytes.MARSHALLER, RawBytes.MARSHALLER)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(method)
            .build();
    return ClientCalls.blockingUnaryCall(
        transport.connect(server.socket()).grpc(),
        descriptor,
        CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
        request);
  }

  private interface Call {
    Object run() throws IOException;
  }

  private static String failure(Call call) {
    StatusRuntimeException thrown = catchThrowableOfType(StatusRuntimeException.class, call::run);
    Status status = thrown.getStatus();
    return status.getCode() + ": " + status.getDescription();
  }

  private static <T> T only(Collection<T> all) {
    assertThat(all).hasSize(1);
    return all.iterator().next();
  }

  private static List<String> devices(PodResources pod) {
    return only(pod.getContainersList()).getDevicesList().stream()
        .map(PodResourcesServerTest::text)
        .toList();
  }

  /// `id@node`, or `id` without one.
  private static String text(ContainerDevices entry) {
    String id = only(entry.getDeviceIdsList());
    return entry.hasTopology() ? id + "@" + only(entry.getTopology().getNodesList()).getID() : id;
  }
}
