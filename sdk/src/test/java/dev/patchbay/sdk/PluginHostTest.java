package dev.patchbay.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.sdk.PluginHostConfig.Way;
import dev.patchbay.testkit.ScriptedKubelet;
import dev.patchbay.testkit.ScriptedKubelet.Answer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What an author relies on, against a kubelet whose answers are scripted.
final class PluginHostTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");

  private Path dir = Path.of("/nonexistent");

  @BeforeEach
  void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
  }

  @AfterEach
  void removeDirectory() throws IOException {
    deleteTree(dir);
  }

  @Test
  void waitsForAKubeletWhenThereIsNotEvenADirectory() throws Exception {
    try (PluginHost host = PluginHost.start(config());
        var kubelet = ScriptedKubelet.in(dir)) {
      ServedPlugin served = host.serve(NIC, new Nics());
      assertThat(served.awaitState(PluginState.WaitingForKubelet.class::isInstance, PATIENCE))
          .isTrue();
      assertThat(served.state().toString())
          .contains("there is no " + plugins().resolve("kubelet.sock"));
      kubelet.start();
      awaitListed(served);
      await()
          .untilAsserted(() ->
              assertThat(kubelet.lists().newest(NIC.toString()))
                  .containsExactly("nic-0=Healthy", "nic-1=Healthy"));
    }
  }

  @Test
  void registersTheVersionTheEndpointsFileNameAndTheAbilities() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, new Nics()));
      awaitListed(host.serve(GPU, new AbleGpus()));
      RegisterRequest nic = kubelet.registrations(NIC.toString()).getFirst().request();
      assertThat(nic.getVersion()).isEqualTo("v1beta1");
      assertThat(nic.getEndpoint()).doesNotContain("/").startsWith("pb-nic-").endsWith(".sock");
      assertThat(nic.getOptions().getPreStartRequired()).isFalse();
      var options =
          kubelet.plugin(GPU.toString()).getDevicePluginOptions(Empty.getDefaultInstance());
      assertThat(options.getPreStartRequired()).isTrue();
      assertThat(options.getGetPreferredAllocationAvailable()).isTrue();
    }
  }

  @Test
  void comesBackAfterTheDirectoryWasRemovedAndMadeAgain() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      awaitListed(served);
      kubelet.stopAndRemoveDirectory();
      assertThat(served.awaitState(PluginState.WaitingForKubelet.class::isInstance, PATIENCE))
          .isTrue();
      kubelet.start();
      awaitListed(served);
      assertThat(kubelet.registrations()).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void asksAgainWithPausesWhileTheKubeletRefusesAndLetsOtherResourcesGoOn() throws Exception {
    try (var kubelet =
            ScriptedKubelet.in(dir)
                .script(
                    Answer.REFUSE,
                    Answer.REFUSE,
                    Answer.REFUSE,
                    Answer.REFUSE,
                    Answer.REFUSE,
                    Answer.ACCEPT_AND_LIST)
                .start();
        PluginHost host = PluginHost.start(config())) {
      long start = System.nanoTime();
      ServedPlugin refused = host.serve(NIC, new Nics());
      assertThat(
              refused.awaitState(
                  state -> state.toString().contains("the script refuses"), PATIENCE))
          .isTrue();
      awaitListed(refused);
      // Five pauses of at least a half of 20, 40, 80, 160 and 320 ms lie between six attempts.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(300));
      assertThat(kubelet.registrations(NIC.toString())).hasSize(6);
      awaitListed(host.serve(GPU, new AbleGpus()));
    }
  }

  @Test
  void givesUpACallThatTheKubeletNeverAnswers() throws Exception {
    try (var kubelet =
            ScriptedKubelet.in(dir).script(Answer.NEVER_ANSWER, Answer.ACCEPT_AND_LIST).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      assertThat(
              served.awaitState(state -> state.toString().contains("DEADLINE_EXCEEDED"), PATIENCE))
          .isTrue();
      awaitListed(served);
      assertThat(kubelet.registrations()).hasSize(2);
    }
  }

  @Test
  void doesNotWaitForAKubeletThatTookTheCallAfterItHadRemovedTheSocket() throws Exception {
    try (var kubelet =
            ScriptedKubelet.in(dir).script(Answer.NEVER_ANSWER, Answer.ACCEPT_AND_LIST).start();
        PluginHost host = PluginHost.start(patient())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      await().atMost(PATIENCE).until(() -> !kubelet.registrations().isEmpty());
      Files.delete(plugins().resolve(kubelet.registrations().getFirst().endpoint()));
      awaitListed(served);
      assertThat(kubelet.registrations()).hasSize(2);
      assertThat(kubelet.mistakes()).isEmpty();
    }
  }

  @Test
  void doesNotWaitForAKubeletWhoseSocketWasReplacedDuringTheCall() throws Exception {
    try (var kubelet =
            ScriptedKubelet.in(dir).script(Answer.NEVER_ANSWER, Answer.ACCEPT_AND_LIST).start();
        PluginHost host = PluginHost.start(patient())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      await().atMost(PATIENCE).until(() -> !kubelet.registrations().isEmpty());
      kubelet.listen();
      awaitListed(served);
      assertThat(kubelet.mistakes()).isEmpty();
    }
  }

  @Test
  void registersAgainUnderANewNameWhenTheKubeletDoesNotListenToTheList() throws Exception {
    try (var kubelet =
            ScriptedKubelet.in(dir).script(Answer.ACCEPT_ONLY, Answer.ACCEPT_AND_LIST).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      assertThat(
              served.awaitState(
                  state -> state.toString().contains("did not open ListAndWatch"), PATIENCE))
          .isTrue();
      awaitListed(served);
      assertThat(
              kubelet.registrations().stream().map(ScriptedKubelet.Registered::endpoint).distinct())
          .hasSize(2);
      assertThat(ownSockets()).hasSize(1);
    }
  }

  @Test
  void servesTwoStreamsAndSendsEachListOnceOnEach() throws Exception {
    var plugin = new Nics();
    try (var kubelet = ScriptedKubelet.in(dir).script(Answer.ACCEPT_AND_LIST_TWICE).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      await().until(() -> kubelet.lists().of(NIC.toString()).size() == 2);
      plugin.devices().publish(plugin.devices().latest().orElseThrow().list());
      plugin
          .devices()
          .publish(DeviceList.of(Device.healthy("nic-0"), Device.unhealthy("nic-1", "pulled")));
      await().until(() -> kubelet.lists().of(NIC.toString()).size() == 4);
      for (int stream : List.of(1, 2))
        assertThat(
                kubelet.lists().of(NIC.toString()).stream()
                    .filter(list -> list.stream() == stream)
                    .toList())
            .hasSize(2);
      assertThat(kubelet.lists().newest(NIC.toString()))
          .containsExactly("nic-0=Healthy", "nic-1=Unhealthy");
    }
  }

  @Test
  void noticesANewKubeletSocketThoughItsOwnIsLeft() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      awaitListed(served);
      kubelet.listen();
      await().atMost(PATIENCE).until(() -> kubelet.registrations().size() >= 2);
      awaitListed(served);
    }
  }

  @Test
  void comesBackToAKubeletThatWasKilledAndStartedAtOnce() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, new Nics());
      awaitListed(served);
      for (int i = 0; i < 10; i++) {
        int before = kubelet.lists().of(NIC.toString()).size();
        kubelet.kill();
        kubelet.start();
        await().atMost(PATIENCE).until(() -> kubelet.lists().of(NIC.toString()).size() > before);
        awaitListed(served);
      }
    }
  }

  @Test
  void removesTheDeadSocketOfAFormerSelfAndNobodyElses() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start()) {
      Files.writeString(plugins().resolve("other.sock"), "somebody else's");
      try (PluginHost former = PluginHost.start(config())) {
        awaitListed(former.serve(NIC, new Nics()));
      }
      Path left = plugins().resolve(kubelet.registrations().getFirst().endpoint());
      try (ServerSocketChannel dying = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        dying.bind(UnixDomainSocketAddress.of(left));
      }
      assertThat(left).exists();
      try (PluginHost host = PluginHost.start(config())) {
        awaitListed(host.serve(NIC, new Nics()));
        assertThat(left).doesNotExist();
        assertThat(ownSockets()).hasSize(1);
        assertThat(plugins().resolve("other.sock")).exists();
        assertThat(kubelet.registrations()).hasSize(2);
      }
    }
  }

  @Test
  void fifteenKubeletRestartsLeaveNothingBehindAndChangesStillArrive() throws Exception {
    var plugin = new Nics();
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin served = host.serve(NIC, plugin);
      awaitListed(served);
      restart(kubelet, served, 3);
      long threads = entries("/proc/self/task");
      long descriptors = entries("/proc/self/fd");
      restart(kubelet, served, 15);
      await().atMost(PATIENCE).until(() -> entries("/proc/self/fd") <= descriptors + 2);
      assertThat(entries("/proc/self/task")).isLessThanOrEqualTo(threads + 4);
      assertThat(ownSockets()).hasSize(1);
      plugin.devices().publish(DeviceList.of(Device.healthy("nic-7")));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(kubelet.lists().newest(NIC.toString())).containsExactly("nic-7=Healthy"));
    }
  }

  private static void restart(ScriptedKubelet kubelet, ServedPlugin served, int times)
      throws Exception {
    for (int i = 0; i < times; i++) {
      int lists = kubelet.lists().of(NIC.toString()).size();
      kubelet.stop();
      kubelet.start();
      await().atMost(PATIENCE).until(() -> kubelet.lists().of(NIC.toString()).size() > lists);
      awaitListed(served);
    }
  }

  @Test
  void registersWhenTheFirstListIsThereAndSendsItWhole() throws Exception {
    DeviceFeed feed = DeviceFeed.empty();
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      ServedPlugin late = host.serve(NIC, new Plugin(feed));
      awaitListed(host.serve(GPU, new AbleGpus()));
      assertThat(late.state()).isInstanceOf(PluginState.WaitingForDevices.class);
      assertThat(kubelet.registrations(NIC.toString())).isEmpty();
      List<Device> many = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) many.add(Device.healthy("device-" + i));
      feed.publish(DeviceList.copyOf(many));
      awaitListed(late);
      await().atMost(PATIENCE).until(() -> !kubelet.lists().of(NIC.toString()).isEmpty());
      assertThat(kubelet.lists().of(NIC.toString()).getFirst().devices()).hasSize(10_000);
    }
  }

  @Test
  void aListThatNoKubeletWouldAcceptIsNotSentAndTheNextOneIs() throws Exception {
    var plugin = new Nics();
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      List<Device> tooMany = new ArrayList<>();
      for (int i = 0; i < 70_000; i++)
        tooMany.add(Device.healthy("device-with-a-rather-long-name-that-counts-" + i));
      plugin.devices().publish(DeviceList.copyOf(tooMany));
      plugin.devices().publish(DeviceList.of(Device.healthy("nic-9")));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(kubelet.lists().newest(NIC.toString())).containsExactly("nic-9=Healthy"));
    }
  }

  @Test
  void refusesToAllocateWhatItCannotGive() throws Exception {
    var plugin = new Nics();
    plugin
        .devices()
        .publish(
            DeviceList.of(Device.healthy("nic-0"), Device.unhealthy("nic-1", "the link is down")));
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      assertRefused(
          () -> allocate(kubelet, "nic-8"),
          Status.Code.NOT_FOUND,
          "device nic-8 of vendor.example/nic is not known");
      assertRefused(
          () -> allocate(kubelet, "nic-0", "nic-0"),
          Status.Code.INVALID_ARGUMENT,
          "nic-0 of vendor.example/nic is named twice");
      assertRefused(() -> allocate(kubelet), Status.Code.INVALID_ARGUMENT, "names no device");
      assertRefused(
          () -> allocate(kubelet, "nic-1"),
          Status.Code.FAILED_PRECONDITION,
          "unhealthy: the link is down");
      assertRefused(
          () -> allocate(kubelet, "nic-0", ""), Status.Code.INVALID_ARGUMENT, "empty device id");
      assertThat(allocate(kubelet, "nic-0")).containsExactly("/dev/nic-0");
      assertThat(plugin.granted).containsExactly(List.of(DeviceId.of("nic-0")));
    }
  }

  @Test
  void theAuthorsExceptionIsTheStatusOfTheCall() throws Exception {
    var plugin =
        new DevicePlugin() {
          private final DeviceFeed feed = DeviceFeed.of(Device.healthy("a"));

          @Override
          public DeviceFeed devices() {
            return feed;
          }

          @Override
          public ContainerEdits allocate(List<DeviceId> devices) throws IOException {
            throw new IOException("the firmware of a is older than 2.1");
          }
        };
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, plugin));
      assertRefused(
          () -> allocate(kubelet, "a"), Status.Code.UNKNOWN, "the firmware of a is older than 2.1");
    }
  }

  @Test
  void answersEachContainerOfARequestInItsOrder() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(NIC, new Nics()));
      var request =
          AllocateRequest.newBuilder()
              .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds("nic-1"))
              .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds("nic-0"))
              .build();
      var answers = kubelet.plugin(NIC.toString()).allocate(request).getContainerResponsesList();
      assertThat(answers.stream().map(each -> each.getDevices(0).getHostPath()))
          .containsExactly("/dev/nic-1", "/dev/nic-0");
    }
  }

  @Test
  void asksTheAuthorForAPreferenceAndChecksIt() throws Exception {
    var plugin = new AbleGpus();
    try (var kubelet = ScriptedKubelet.in(dir).start();
        PluginHost host = PluginHost.start(config())) {
      awaitListed(host.serve(GPU, plugin));
      assertThat(prefer(kubelet, 2, List.of("gpu-0", "gpu-1", "gpu-2"), List.of("gpu-2")))
          .containsExactly("gpu-0", "gpu-2");
      assertRefused(
          () -> prefer(kubelet, 3, List.of("gpu-0"), List.of()),
          Status.Code.INVALID_ARGUMENT,
          "asked for 3 of 1");
      assertRefused(
          () -> prefer(kubelet, 1, List.of("gpu-0"), List.of("gpu-1")),
          Status.Code.INVALID_ARGUMENT,
          "must include");
      plugin.lies = true;
      assertRefused(
          () -> prefer(kubelet, 1, List.of("gpu-0"), List.of()),
          Status.Code.INTERNAL,
          "the plugin prefers [gpu-9]");
      var _ =
          kubelet
              .plugin(GPU.toString())
              .preStartContainer(
                  PreStartContainerRequest.newBuilder().addDevicesIds("gpu-1").build());
      assertThat(plugin.prepared).containsExactly(List.of(DeviceId.of("gpu-1")));
    }
  }

  @Test
  void withdrawsOneResourceAndLeavesTheOther() throws Exception {
    try (var kubelet = ScriptedKubelet.in(dir).start()) {
      PluginHost host = PluginHost.start(config());
      ServedPlugin nic = host.serve(NIC, new Nics());
      ServedPlugin gpu = host.serve(GPU, new AbleGpus());
      awaitListed(nic);
      awaitListed(gpu);
      assertThatThrownBy(() -> host.serve(NIC, new Nics())).hasMessageContaining("served already");
      nic.close();
      nic.close();
      assertThat(nic.state()).isInstanceOf(PluginState.Closed.class);
      assertThat(gpu.state()).isInstanceOf(PluginState.Listed.class);
      assertThat(ownSockets()).hasSize(1);
      awaitListed(host.serve(NIC, new Nics()));
      assertThat(kubelet.registrations(GPU.toString())).hasSize(1);
      host.close();
      host.close();
      assertThat(ownSockets()).isEmpty();
      assertThatThrownBy(() -> host.serve(NIC, new Nics())).hasMessageContaining("closed");
    }
  }

  @Test
  void aSocketInThePluginsRegistryAnswersThePluginWatcher() throws Exception {
    Path registry = dir.resolve("plugins_registry");
    try (PluginHost host = PluginHost.start(config().with(Set.of(Way.PLUGINS_REGISTRY)))) {
      ServedPlugin served = host.serve(NIC, new Nics());
      assertThat(
              served.awaitState(
                  state -> state.toString().contains("there is no directory"), PATIENCE))
          .isTrue();
      Files.createDirectory(registry);
      try (var watcher = new FakePluginWatcher(registry)) {
        Path first = watcher.awaitSocket(Set.of());
        var info = watcher.info(first);
        assertThat(info.getType()).isEqualTo("DevicePlugin");
        assertThat(info.getName()).isEqualTo(NIC.toString());
        assertThat(info.getEndpoint()).isEqualTo(first.toString());
        assertThat(info.getSupportedVersionsList()).containsExactly("v1beta1");
        watcher.tell(first, false, "the kubelet does not want it");
        assertThat(
                served.awaitState(state -> state.toString().contains("does not want it"), PATIENCE))
            .isTrue();
        Path second = watcher.awaitSocket(Set.of(first));
        watcher.tell(second, true, "");
        watcher.list(second);
        awaitListed(served);
        watcher.endLists();
        Path third = watcher.awaitSocket(Set.of(first, second));
        watcher.tell(third, true, "");
        watcher.list(third);
        awaitListed(served);
      }
    }
  }

  private List<String> allocate(ScriptedKubelet kubelet, String... ids) throws IOException {
    var request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(List.of(ids)))
            .build();
    return kubelet
        .plugin(NIC.toString())
        .allocate(request)
        .getContainerResponses(0)
        .getDevicesList()
        .stream()
        .map(each -> each.getHostPath())
        .toList();
  }

  private static List<String> prefer(
      ScriptedKubelet kubelet, int size, List<String> available, List<String> mustInclude)
      throws IOException {
    var request =
        PreferredAllocationRequest.newBuilder()
            .addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .setAllocationSize(size)
                    .addAllAvailableDeviceIDs(available)
                    .addAllMustIncludeDeviceIDs(mustInclude))
            .build();
    return kubelet
        .plugin(GPU.toString())
        .getPreferredAllocation(request)
        .getContainerResponses(0)
        .getDeviceIDsList();
  }

  private static void assertRefused(ThrowingCallable call, Status.Code code, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            refusal -> {
              assertThat(refusal.getStatus().getCode()).isEqualTo(code);
              assertThat(refusal.getStatus().getDescription()).contains(text);
            });
  }

  private static void awaitListed(ServedPlugin served) throws InterruptedException {
    assertThat(served.awaitState(PluginState.Listed.class::isInstance, PATIENCE))
        .as(() -> served.state().toString())
        .isTrue();
  }

  private PluginHostConfig config() {
    return new PluginHostConfig(
        dir,
        Set.of(Way.KUBELET_SOCK),
        Duration.ofMillis(800),
        Duration.ofMillis(800),
        Duration.ofMillis(20),
        Duration.ofMillis(500),
        Duration.ofSeconds(30));
  }

  /// Waits longer for an answer than a test does.
  private PluginHostConfig patient() {
    PluginHostConfig hasty = config();
    return new PluginHostConfig(
        dir,
        hasty.ways(),
        PATIENCE.multipliedBy(2),
        hasty.listTimeout(),
        hasty.firstRetry(),
        hasty.longestRetry(),
        hasty.rescanEvery());
  }

  private Path plugins() {
    return dir.resolve("device-plugins");
  }

  private List<Path> ownSockets() throws IOException {
    try (Stream<Path> files = Files.list(plugins())) {
      return files.filter(file -> String.valueOf(file.getFileName()).startsWith("pb-")).toList();
    }
  }

  private static long entries(String directory) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(directory))) {
      return files.count();
    }
  }

  private static void deleteTree(Path root) throws IOException {
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }

  private record Plugin(DeviceFeed devices) implements DevicePlugin {
    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return ContainerEdits.NONE;
    }
  }

  private static final class Nics implements DevicePlugin {
    private final DeviceFeed feed = DeviceFeed.of(Device.healthy("nic-0"), Device.healthy("nic-1"));
    private final List<List<DeviceId>> granted = new CopyOnWriteArrayList<>();

    @Override
    public DeviceFeed devices() {
      return feed;
    }

    @Override
    public ContainerEdits allocate(List<DeviceId> devices) {
      granted.add(devices);
      return ContainerEdits.ofNode("/dev/" + devices.getFirst(), "rw");
    }
  }

  private static final class AbleGpus implements DevicePlugin, PreferredAllocation, PreStart {
    private final DeviceFeed feed =
        DeviceFeed.of(
            Device.healthy("gpu-0"),
            Device.healthy("gpu-1").with(Health.healthy()),
            Device.healthy("gpu-2"));
    private final List<List<DeviceId>> prepared = new CopyOnWriteArrayList<>();
    private volatile boolean lies;

    @Override
    public DeviceFeed devices() {
      return feed;
    }

    @Override
    public ContainerEdits allocate(List<DeviceId> devices) {
      return ContainerEdits.ofEnv("GPUS", devices.toString());
    }

    @Override
    public List<DeviceId> prefer(List<DeviceId> available, Set<DeviceId> mustInclude, int size) {
      if (lies) return List.of(DeviceId.of("gpu-9"));
      List<DeviceId> chosen = new ArrayList<>(mustInclude);
      available.stream()
          .filter(id -> !mustInclude.contains(id))
          .limit(size - mustInclude.size())
          .forEach(chosen::add);
      return chosen;
    }

    @Override
    public void preStart(List<DeviceId> devices) {
      prepared.add(devices);
    }
  }
}
