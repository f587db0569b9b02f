package dev.patchbay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import dev.patchbay.testkit.KubeletUnderTest.Rejection;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a plugin may expect of a kubelet, judged by scripted plugins over real sockets. Texts and
/// order are those of Kubernetes 1.36, but where that is known to fail its plugins: a plugin that
/// hangs holds up its own pod alone, and for a limited time; an endpoint is a bare file name; what
/// a refused pod had taken is free again.
public abstract class KubeletContract {
  private static final String NIC = "vendor.example/nic";
  private static final String GPU = "vendor.example/gpu";
  private static final DevicePluginOptions NONE = DevicePluginOptions.getDefaultInstance();
  private static final String REJECTED = "UnexpectedAdmissionError";

  private final List<AutoCloseable> open = new ArrayList<>();
  private Path dir = Path.of("/nonexistent");

  /// For the contract's subclasses.
  protected KubeletContract() {}

  /// Starts a kubelet in this directory, which is there, and in which earlier ones of the same test
  /// may have run. A call that the plugin never answers is to be given up within
  /// `pace().patience()`.
  protected abstract KubeletUnderTest start(Path kubeletDir) throws Exception;

  /// The way in which the plugins of the contract come; all of it holds in either.
  protected Way way() {
    return Way.KUBELET_SOCK;
  }

  /// The ways to register.
  public enum Way {
    /// Register on `device-plugins/kubelet.sock`.
    KUBELET_SOCK,
    /// A socket in `plugins_registry` that the kubelet finds.
    PLUGINS_REGISTRY
  }

  /// How long things may take.
  protected Pace pace() {
    return Pace.SHORT;
  }

  @BeforeEach
  final void makeDirectory() throws IOException {
    // Short, since a socket's path has at most 107 bytes.
    dir = Files.createTempDirectory(Path.of("/tmp"), "pbk");
  }

  @AfterEach
  final void endAll() throws Exception {
    for (AutoCloseable each : open.reversed()) each.close();
    SocketFiles.removeTree(dir);
  }

  @ParameterizedTest
  @MethodSource("badRegistrations")
  final void refusesARegistrationWith(BadRegistration bad) throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin good = listed(kubelet, GPU, "gpu-0");
    ScriptedPlugin plugin = plugin(NIC, NONE);
    StatusRuntimeException refusal =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> plugin.register(bad.request(plugin.request())));
    assertThat(refusal).isNotNull();
    assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(refusal.getStatus().getDescription()).isNotBlank().startsWith(bad.refusal());
    assertThat(plugin.calls()).isEmpty();
    assertThat(kubelet.allocatable()).containsOnlyKeys(GPU).containsEntry(GPU, 1L);
    assertThat(good.calls("ListAndWatch")).hasSize(1);
  }

  @Test
  final void refusesAPluginThatDoesNotTellItsOptions() throws Exception {
    startKubelet();
    ScriptedPlugin plugin = plugin(NIC, NONE);
    plugin.refuseOptions(Status.INTERNAL.withDescription("it is too early"));
    assertThatThrownBy(plugin::register)
        .hasMessageContaining("failed to get device plugin options: ")
        .hasMessageContaining("it is too early");
    assertThat(plugin.calls()).containsExactly("GetDevicePluginOptions");
  }

  @Test
  final void asksForTheOptionsAndOpensTheListOnce() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = plugin(NIC, NONE);
    register(plugin);
    assertThat(plugin.calls()).first().isEqualTo("GetDevicePluginOptions");
    awaitTrue(() -> assertThat(plugin.calls()).hasSize(2));
    assertThat(kubelet.capacity()).as("before the first list").doesNotContainKey(NIC);
    plugin.list("a");
    plugin.list("a", "b");
    awaitCounts(kubelet, NIC, 2, 2);
    assertThat(plugin.calls()).containsExactly("GetDevicePluginOptions", "ListAndWatch");
  }

  @Test
  final void eachListReplacesTheOneBefore() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b", "c");
    plugin.list(list("a", "Healthy", "b", "Unhealthy", "c", "Healthy"));
    awaitCounts(kubelet, NIC, 3, 2);
    plugin.list(list("a", "healthy", "b", "", "c", "Healthy"));
    awaitCounts(kubelet, NIC, 3, 1);
    plugin.list("d", "e");
    awaitCounts(kubelet, NIC, 2, 2);
    plugin.list();
    awaitCounts(kubelet, NIC, 0, 0);
    plugin.list("a");
    awaitCounts(kubelet, NIC, 1, 1);
  }

  @Test
  final void aPluginThatGoesAwayLeavesItsCapacityAndNothingToAllocate() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin nic = listed(kubelet, NIC, "a", "b");
    ScriptedPlugin gpu = listed(kubelet, GPU, "gpu-0");
    nic.close();
    awaitCounts(kubelet, NIC, 2, 0);
    gpu.endStreams();
    awaitCounts(kubelet, GPU, 1, 0);
    assertThat(kubelet.admit(PodText.of("late", NIC, 1)))
        .map(Rejection::message)
        .hasValueSatisfying(message ->
            assertThat(message)
                .contains("no healthy devices present; cannot allocate unhealthy devices " + NIC));
  }

  @Test
  final void aListOfMoreThanFourMebibytesEndsTheStream() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a");
    var tooLong = ListAndWatchResponse.newBuilder();
    for (int i = 0; i < 50_000; i++)
      tooLong.addDevices(Device.newBuilder().setID("x".repeat(90) + i).setHealth("Healthy"));
    plugin.list(tooLong.build());
    awaitCounts(kubelet, NIC, 1, 0);
  }

  @Test
  final void aNewPluginTakesOverFromTheOldOne() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin old = listed(kubelet, NIC, "a", "b");
    ScriptedPlugin renewed = plugin(NIC, NONE);
    renewed.list("a", "b", "c");
    register(renewed);
    awaitCounts(kubelet, NIC, 3, 3);
    old.close();
    assertAdmitted(kubelet.admit(PodText.of("pod", NIC, 3)));
    assertThat(old.calls("Allocate")).isEmpty();
    assertThat(renewed.calls("Allocate")).containsExactly("Allocate a b c");
    // The end of the old one comes late, and must not be taken for that of the new one.
    await()
        .during(Duration.ofMillis(300))
        .atMost(pace().patience())
        .until(() -> Long.valueOf(3).equals(kubelet.allocatable().get(NIC)));
  }

  @Test
  final void removesSocketsAtItsStartAndNothingElse() throws Exception {
    Path plugins = Files.createDirectories(dir.resolve("device-plugins"));
    leaveSocket(plugins.resolve("kubelet.sock"));
    leaveSocket(plugins.resolve("dead-plugin.sock"));
    Path note = Files.writeString(plugins.resolve("note.sock"), "a file, whatever its name");
    Path inside = Files.createDirectory(plugins.resolve("directory")).resolve("inner.sock");
    leaveSocket(inside);
    KubeletUnderTest kubelet = startKubelet();
    assertThat(SocketFiles.in(plugins)).containsExactly(plugins.resolve("kubelet.sock"));
    assertThat(note).exists();
    assertThat(inside).exists();
    var _ = listed(kubelet, NIC, "a");
  }

  @Test
  final void asksThePluginOncePerContainerAndGivesItsAnswer() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b", "c");
    assertAdmitted(kubelet.admit(PodText.ofTwoContainers("pod", NIC)));
    assertThat(plugin.calls("Allocate")).hasSize(2).doesNotHaveDuplicates();
    String first = device(kubelet, "pod", "first");
    String second = device(kubelet, "pod", "second");
    assertThat(plugin.calls("Allocate")).containsExactly("Allocate " + first, "Allocate " + second);
    ContainerEdits edits = kubelet.runOptions("pod", "first");
    assertThat(edits.deviceNodes())
        .containsExactly(new DeviceNode("/dev/" + first, "/dev/" + first, "rw"));
    assertThat(plugin.calls("Allocate")).as("nothing is asked again").hasSize(2);
  }

  @Test
  final void givesNoDeviceToTwoPodsAndTheSameOneAfterItsRelease() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b");
    assertAdmitted(kubelet.admit(PodText.of("one", NIC, 1)));
    assertAdmitted(kubelet.admit(PodText.of("two", NIC, 1)));
    assertThat(Set.of(device(kubelet, "one", "main"), device(kubelet, "two", "main"))).hasSize(2);
    assertRejected(
        kubelet.admit(PodText.of("three", NIC, 1)),
        "requested number of devices unavailable for " + NIC + ". Requested: 1, Available: 0");
    assertThat(plugin.calls("Allocate")).hasSize(2);
    String freed = device(kubelet, "one", "main");
    kubelet.release("one");
    assertAdmitted(kubelet.admit(PodText.of("four", NIC, 1)));
    assertThat(device(kubelet, "four", "main")).isEqualTo(freed);
  }

  @Test
  final void givesOnlyHealthyDevices() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b", "c");
    plugin.list(list("a", "Unhealthy", "b", "Healthy", "c", "Unhealthy"));
    awaitCounts(kubelet, NIC, 3, 1);
    assertRejected(
        kubelet.admit(PodText.of("big", NIC, 2)),
        "requested number of devices unavailable for " + NIC + ". Requested: 2, Available: 1");
    assertAdmitted(kubelet.admit(PodText.of("small", NIC, 1)));
    assertThat(plugin.calls("Allocate")).containsExactly("Allocate b");
  }

  @Test
  final void devicesOfAnInitContainerGoToTheContainerAfterIt() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b");
    assertAdmitted(kubelet.admit(PodText.withInitContainer("pod", NIC, 2)));
    assertThat(plugin.calls("Allocate")).containsExactly("Allocate a b", "Allocate a b");
  }

  @Test
  final void aRefusedAllocateRejectsThePodAndFreesItsDevices() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b");
    plugin.onAllocate(_ -> {
      throw Status.FAILED_PRECONDITION.withDescription("the firmware is too old").asException();
    });
    assertRejected(kubelet.admit(PodText.of("unlucky", NIC, 2)), "the firmware is too old");
    plugin.onAllocate(_ -> AllocateResponse.getDefaultInstance());
    assertRejected(
        kubelet.admit(PodText.of("cheated", NIC, 2)),
        "no containers return in allocation response");
    plugin.onAllocate(ScriptedPlugin::grant);
    assertAdmitted(kubelet.admit(PodText.of("lucky", NIC, 2)));
    assertThat(kubelet.allocatable()).containsEntry(NIC, 2L);
  }

  @Test
  final void aPluginThatHangsHoldsUpItsOwnPodAlone() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a");
    var _ = listed(kubelet, GPU, "gpu-0");
    plugin.onAllocate(_ -> {
      throw plugin.never();
    });
    FutureTask<Optional<Rejection>> hanging =
        inBackground(() -> kubelet.admit(PodText.of("hanging", NIC, 1)));
    awaitTrue(() -> assertThat(plugin.calls("Allocate")).hasSize(1));
    assertAdmitted(kubelet.admit(PodText.of("other", GPU, 1)));
    assertRejected(hanging.get(), "DeadlineExceeded");
    plugin.onAllocate(ScriptedPlugin::grant);
    assertAdmitted(kubelet.admit(PodText.of("next", NIC, 1)));
  }

  @Test
  final void aPluginThatDiesInAllocateTakesNothingElseWithIt() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, NIC, "a");
    var _ = listed(kubelet, GPU, "gpu-0");
    plugin.onAllocate(_ -> {
      Thread.ofVirtual().start(plugin::close);
      throw plugin.never();
    });
    assertThat(kubelet.admit(PodText.of("unlucky", NIC, 1)))
        .map(Rejection::reason)
        .contains(REJECTED);
    awaitCounts(kubelet, NIC, 1, 0);
    assertAdmitted(kubelet.admit(PodText.of("other", GPU, 1)));
    var _ = listed(kubelet, NIC, "a");
    assertAdmitted(kubelet.admit(PodText.of("next", NIC, 1)));
  }

  @Test
  final void takesTheDevicesThatThePluginPrefers() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin =
        listed(
            kubelet,
            NIC,
            DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build(),
            "a",
            "b",
            "c",
            "d");
    plugin.onPrefer(_ -> ScriptedPlugin.preference("b", "d"));
    assertAdmitted(kubelet.admit(PodText.of("pod", NIC, 2)));
    assertThat(plugin.calls("GetPreferred")).containsExactly("GetPreferredAllocation 2 of a b c d");
    assertThat(plugin.calls("Allocate")).containsExactly("Allocate b d");
  }

  @Test
  final void aPreferenceForWhatIsNotOfferedIsNoHarm() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin =
        listed(
            kubelet,
            NIC,
            DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build(),
            "a",
            "b",
            "c");
    plugin.onPrefer(_ -> ScriptedPlugin.preference("nowhere", "c"));
    assertAdmitted(kubelet.admit(PodText.of("liar", NIC, 2)));
    assertThat(plugin.calls("Allocate")).singleElement().asString().matches("Allocate [ab] c");
    plugin.onPrefer(_ -> {
      throw Status.INTERNAL.withDescription("no idea").asException();
    });
    assertRejected(
        kubelet.admit(PodText.of("failing", NIC, 1)),
        "device plugin GetPreferredAllocation rpc failed with err: ");
    plugin.onPrefer(_ -> ScriptedPlugin.preference());
    assertAdmitted(kubelet.admit(PodText.of("after", NIC, 1)));
  }

  @Test
  final void callsPreStartBeforeEachStartOfAContainer() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin =
        listed(
            kubelet, NIC, DevicePluginOptions.newBuilder().setPreStartRequired(true).build(), "a");
    assertAdmitted(kubelet.admit(PodText.of("pod", NIC, 1)));
    assertThat(plugin.calls("PreStart")).isEmpty();
    plugin.onPreStart(_ -> {
      throw Status.UNAVAILABLE.withDescription("still resetting").asException();
    });
    assertThatThrownBy(() -> kubelet.runOptions("pod", "main"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("device plugin PreStartContainer rpc failed with err: ")
        .hasMessageContaining("still resetting");
    plugin.onPreStart(_ -> {
      throw plugin.never();
    });
    assertThatThrownBy(() -> kubelet.runOptions("pod", "main"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("device plugin PreStartContainer rpc failed with err: ");
    plugin.onPreStart(_ -> PreStartContainerResponse.getDefaultInstance());
    assertThat(device(kubelet, "pod", "main")).isEqualTo("a");
    assertThat(device(kubelet, "pod", "main")).isEqualTo("a");
    assertThat(plugin.calls("PreStart")).hasSize(4).containsOnly("PreStartContainer a");
    assertThat(plugin.calls("Allocate")).hasSize(1);
  }

  @Test
  final void podsKeepTheirDevicesOverTheDeathOfTheKubelet() throws Exception {
    String keeper = PodText.of("keeper", NIC, 1);
    KubeletUnderTest first = startKubelet();
    ScriptedPlugin plugin = listed(first, NIC, "a", "b");
    assertAdmitted(first.admit(keeper));
    String kept = device(first, "keeper", "main");
    first.kill();
    assertThat(SocketFiles.in(dir.resolve("device-plugins")))
        .as("what a killed kubelet leaves")
        .contains(dir.resolve("device-plugins/kubelet.sock"));
    plugin.close();
    KubeletUnderTest second = startKubelet();
    assertThat(second.capacity()).as("known, not come back yet").containsEntry(NIC, 0L);
    assertThat(second.allocatable()).containsEntry(NIC, 0L);
    ScriptedPlugin again = listed(second, NIC, "a", "b");
    assertAdmitted(second.admit(keeper));
    assertThat(device(second, "keeper", "main")).isEqualTo(kept);
    assertThat(again.calls("Allocate")).as("the answer is remembered").isEmpty();
    assertAdmitted(second.admit(PodText.of("other", NIC, 1)));
    assertThat(device(second, "other", "main")).isNotEqualTo(kept);
  }

  @Test
  final void startsWithACheckpointThatCannotBeRead() throws Exception {
    Path plugins = Files.createDirectories(dir.resolve("device-plugins"));
    Files.writeString(plugins.resolve("kubelet_internal_checkpoint"), "{\"Data\": half a fi");
    KubeletUnderTest kubelet = startKubelet();
    var _ = listed(kubelet, NIC, "a");
    assertAdmitted(kubelet.admit(PodText.of("pod", NIC, 1)));
  }

  @Test
  final void canBeStoppedAndStartedManyTimesInOneDirectory() throws Exception {
    Set<String> devices = new HashSet<>();
    String manifest = PodText.of("pod", NIC, 1);
    for (int i = 0; i < 5; i++) {
      KubeletUnderTest kubelet = startKubelet();
      try (ScriptedPlugin plugin = listed(kubelet, NIC, "a", "b", "c")) {
        assertAdmitted(kubelet.admit(manifest));
        devices.add(device(kubelet, "pod", "main"));
        assertThat(plugin.calls("Allocate")).hasSize(i == 0 ? 1 : 0);
      }
      kubelet.close();
    }
    assertThat(devices).hasSize(1);
  }

  static List<BadRegistration> badRegistrations() {
    return BadRegistration.ALL;
  }

  private KubeletUnderTest startKubelet() throws Exception {
    KubeletUnderTest kubelet = start(dir);
    open.add(kubelet);
    return kubelet;
  }

  private ScriptedPlugin plugin(String resource, DevicePluginOptions options) throws IOException {
    var plugin = ScriptedPlugin.serve(dir, resource, "plugin-" + open.size() + ".sock", options);
    open.add(plugin);
    return plugin;
  }

  private ScriptedPlugin listed(KubeletUnderTest kubelet, String resource, String... ids)
      throws IOException {
    return listed(kubelet, resource, NONE, ids);
  }

  private ScriptedPlugin listed(
      KubeletUnderTest kubelet, String resource, DevicePluginOptions options, String... ids)
      throws IOException {
    ScriptedPlugin plugin = plugin(resource, options);
    plugin.list(ids);
    register(plugin);
    awaitCounts(kubelet, resource, ids.length, ids.length);
    return plugin;
  }

  private void register(ScriptedPlugin plugin) throws IOException {
    switch (way()) {
      case KUBELET_SOCK -> plugin.register();
      case PLUGINS_REGISTRY -> {
        plugin.offer();
        awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
      }
    }
  }

  private static ListAndWatchResponse list(String... idsAndHealths) {
    var list = ListAndWatchResponse.newBuilder();
    for (int i = 0; i < idsAndHealths.length; i += 2)
      list.addDevices(Device.newBuilder().setID(idsAndHealths[i]).setHealth(idsAndHealths[i + 1]));
    return list.build();
  }

  /// A socket file without a process behind it.
  private static void leaveSocket(Path path) throws IOException {
    try (ServerSocketChannel dying = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dying.bind(UnixDomainSocketAddress.of(path));
    }
  }

  private static <T> FutureTask<T> inBackground(Callable<T> work) {
    var task = new FutureTask<>(work);
    Thread.ofVirtual().start(task);
    return task;
  }

  private static String device(KubeletUnderTest kubelet, String pod, String container)
      throws IOException {
    return String.valueOf(kubelet.runOptions(pod, container).env().get("DEVICES"));
  }

  private static void assertAdmitted(Optional<Rejection> rejection) {
    assertThat(rejection).as("why the pod was rejected").isEmpty();
  }

  private static void assertRejected(Optional<Rejection> rejection, String why) {
    assertThat(rejection).isPresent();
    assertThat(rejection.orElseThrow().reason()).isEqualTo(REJECTED);
    assertThat(rejection.orElseThrow().message())
        .contains("Allocate failed due to ", why, ", which is unexpected");
  }

  private void awaitCounts(
      KubeletUnderTest kubelet, String resource, long capacity, long allocatable) {
    awaitTrue(() -> {
      assertThat(kubelet.capacity()).as("capacity").containsEntry(resource, capacity);
      assertThat(kubelet.allocatable()).as("allocatable").containsEntry(resource, allocatable);
    });
  }

  private void awaitTrue(ThrowingRunnable assertion) {
    await().atMost(pace().patience()).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
  }
}
