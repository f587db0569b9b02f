package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static dev.patchbay.kubelet.ScriptedPlugin.prefer;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.ScriptedPlugin.Script;
import dev.patchbay.kubelet.metrics.CountedEvents;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.Allocatable;
import dev.patchbay.kubelet.podresources.KubeletHoldings;
import dev.patchbay.kubelet.podresources.NodeHoldings;
import dev.patchbay.kubelet.podresources.PodHoldings;
import dev.patchbay.kubelet.podresources.PodResourcesServer;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.GetPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResources;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A plugin that thinks, a monitor that is served and a scrape that takes its time: none of them
/// holds up another. Each is stopped in the middle, and everything else has to go on meanwhile.
@Timeout(120)
class NobodyWaitsTest {
  private static final int PATIENCE_SECONDS = 30;

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final Transport transport = Transport.open();
  @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private final KubeletMetrics metrics = new KubeletMetrics();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final AtomicBoolean stopsTheNextList = new AtomicBoolean();
  private ScriptedPlugin plugin = new ScriptedPlugin(kubelet.directory(), "none");
  private final PodResourcesServer server =
      PodResourcesServer.at(
          kubelet.directory().resolveSibling("pr.sock"),
          new StoppingHoldings(),
          PodResourcesSettings.DEFAULTS.withLimit(1_000, 1_000),
          metrics);

  @BeforeEach
  void start() throws IOException {
    kubelet.restartWith(
        usual -> usual,
        new CountedEvents(metrics, kubelet.manager().settings(), KubeletEvents.NONE));
    plugin = kubelet.plugin("gpu.sock").list("a", "b", "c");
    plugin.options =
        answer(
            DevicePluginOptions.newBuilder()
                .setGetPreferredAllocationAvailable(true)
                .setPreStartRequired(true)
                .build());
    plugin.preferred = answer(prefer("b"));
    plugin.preStart = answer(PreStartContainerResponse.getDefaultInstance());
    assertThat(plugin.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);
    server.start();
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    server.close();
  }

  @Test
  void aPluginThatThinksAboutAnAllocationHoldsUpNobodyElse() throws Exception {
    plugin.allocate = thinking(answer(edits(_ -> {})));
    Future<Admission> admission = threads.submit(() -> kubelet.manager().admit(pod("p", 1)));
    await(stopped);

    assertThat(devices("p")).as("nobody has them before the plugin's answer").isEmpty();
    assertEverybodyElseIsServed();

    goOn.countDown();
    assertThat(admission.get(PATIENCE_SECONDS, SECONDS)).isEqualTo(new Admission.Admitted());
    assertThat(devices("p")).containsExactly("b");
  }

  @Test
  void aPluginThatThinksAboutItsPreferenceHoldsUpNobodyElse() throws Exception {
    plugin.preferred = thinking(answer(prefer("c")));
    Future<Admission> admission = threads.submit(() -> kubelet.manager().admit(pod("p", 1)));
    await(stopped);

    assertThat(devices("p")).isEmpty();
    assertEverybodyElseIsServed();

    goOn.countDown();
    assertThat(admission.get(PATIENCE_SECONDS, SECONDS)).isEqualTo(new Admission.Admitted());
    assertThat(devices("p")).containsExactly("c");
  }

  @Test
  void aPluginThatPreparesDevicesHoldsUpNobodyElse() throws Exception {
    kubelet.admit(pod("p", 1));
    plugin.preStart = thinking(answer(PreStartContainerResponse.getDefaultInstance()));
    Future<?> begin = threads.submit(() -> kubelet.manager().runOptions(pod("p", 1), "main"));
    await(stopped);

    assertThat(devices("p")).containsExactly("b");
    assertEverybodyElseIsServed();

    goOn.countDown();
    begin.get(PATIENCE_SECONDS, SECONDS);
  }

  @Test
  void aMonitorThatIsServedHoldsUpNobodyElse() throws Exception {
    stopsTheNextList.set(true);
    Future<List<PodResources>> list = threads.submit(this::list);
    await(stopped);

    kubelet.admit(pod("p", 1));
    kubelet.manager().runOptions(pod("p", 1), "main");
    assertThat(devices("p")).containsExactly("b");
    assertEverybodyElseIsServed();

    goOn.countDown();
    assertThat(list.get(PATIENCE_SECONDS, SECONDS)).as("as it was when it asked").isEmpty();
  }

  @Test
  void aScrapeThatTakesItsTimeHoldsUpNobodyElse() throws Exception {
    metrics.plugins(() -> {
      stopped.countDown();
      await(goOn);
      return new KubeletMetrics.Plugins(List.of(), List.of());
    });
    Future<String> scrape = threads.submit(metrics::text);
    await(stopped);
    metrics.plugins(() -> new KubeletMetrics.Plugins(List.of(), List.of()));

    kubelet.admit(pod("p", 1));
    kubelet.manager().runOptions(pod("p", 1), "main");
    assertEverybodyElseIsServed();

    goOn.countDown();
    assertThat(scrape.get(PATIENCE_SECONDS, SECONDS)).endsWith("\n");
  }

  /// Monitors, a scrape, a check of health, plugins that register and list, another pod.
  private void assertEverybodyElseIsServed() throws IOException {
    assertThat(allocatable()).isEqualTo(3);
    assertThat(get("p").getName()).isEqualTo("p");
    assertThat(metrics.text())
        .contains("kubelet_pod_resources_endpoint_requests_get{server_api_version=\"v1\"} 1\n");
    assertThat(kubelet.manager().problem()).isEmpty();
    plugin.list("a", "b", "c", "d");
    kubelet.awaitAllocatable(GPU, 4);
    assertThat(kubelet.counts(GPU)).isEqualTo("4/4");
    kubelet.registered(NIC, "nic");
    kubelet.admit(pod("other", List.of(), container("main", Map.of(NIC, 1L), false)));
    assertThat(devices("other")).containsExactly("nic");
    kubelet.manager().ended("other", PodPhase.SUCCEEDED);
    kubelet.manager().collectGarbage();
    assertThat(kubelet.held("other", "main", NIC)).isEqualTo("[]");
  }

  private int allocatable() throws IOException {
    return monitor()
        .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
        .getDevicesCount();
  }

  private PodResources get(String pod) throws IOException {
    return monitor()
        .get(GetPodResourcesRequest.newBuilder().setPodName(pod).setPodNamespace("default").build())
        .getPodResources();
  }

  private List<PodResources> list() throws IOException {
    return monitor().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList();
  }

  /// What a pod holds, as a monitor sees it; fails when it does not see the pod.
  private List<String> devices(String pod) throws IOException {
    return list().stream()
        .filter(each -> each.getName().equals(pod))
        .findFirst()
        .orElseThrow()
        .getContainersList()
        .stream()
        .flatMap(container -> container.getDevicesList().stream())
        .flatMap(devices -> devices.getDeviceIdsList().stream())
        .toList();
  }

  private PodResourcesListerBlockingStub monitor() throws IOException {
    return PodResourcesListerGrpc.newBlockingStub(transport.connect(server.socket()).grpc())
        .withDeadlineAfter(PATIENCE_SECONDS, SECONDS);
  }

  /// Does so only when the test lets it go on.
  private <Q, A> Script<Q, A> thinking(Script<Q, A> script) {
    return (request, observer) -> {
      stopped.countDown();
      await(goOn);
      script.run(request, observer);
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE_SECONDS, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Those of the kubelet; one list can be stopped between its question and its answer.
  private final class StoppingHoldings implements NodeHoldings {
    private NodeHoldings real() {
      return new KubeletHoldings(kubelet.manager());
    }

    @Override
    public void collectGarbage() {
      real().collectGarbage();
    }

    @Override
    public List<PodHoldings> pods() {
      List<PodHoldings> pods = real().pods();
      if (stopsTheNextList.compareAndSet(true, false)) {
        stopped.countDown();
        await(goOn);
      }
      return pods;
    }

    @Override
    public Optional<PodHoldings> pod(String namespace, String name) {
      return real().pod(namespace, name);
    }

    @Override
    public Allocatable allocatable() {
      return real().allocatable();
    }
  }
}
