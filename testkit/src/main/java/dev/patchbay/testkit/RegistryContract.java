package dev.patchbay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a plugin may expect of a kubelet that finds it in `plugins_registry`, beside all of
/// [KubeletContract]. Texts are those of Kubernetes 1.36.
public abstract class RegistryContract {
  private static final String NIC = "vendor.example/nic";
  private static final String FAILED = "RegisterPlugin error -- ";

  private final List<AutoCloseable> open = new ArrayList<>();
  private Path dir = Path.of("/nonexistent");

  /// For the contract's subclasses.
  protected RegistryContract() {}

  /// Starts a kubelet in this directory, which is there, and in which earlier ones of the same test
  /// may have run.
  protected abstract KubeletUnderTest start(Path kubeletDir) throws Exception;

  /// How long things may take.
  protected Pace pace() {
    return Pace.SHORT;
  }

  @BeforeEach
  final void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pbk");
  }

  @AfterEach
  final void endAll() throws Exception {
    for (AutoCloseable each : open.reversed()) each.close();
    SocketFiles.removeTree(dir);
  }

  @Test
  final void tellsAPluginOfAnotherKindThatNobodyTakesIt() throws Exception {
    var _ = startKubelet();
    ScriptedPlugin plugin = plugin("other.sock");
    plugin.offer(plugin.info().toBuilder().setType("OtherPlugin").build());
    awaitTrue(() ->
        assertThat(plugin.told())
            .contains(
                FAILED
                    + "no handler registered for plugin type: OtherPlugin at socket "
                    + registry().resolve("other.sock")));
  }

  @Test
  final void tellsAPluginThatItsVersionIsNotSpoken() throws Exception {
    var _ = startKubelet();
    ScriptedPlugin plugin = plugin("nic.sock");
    plugin.offer(
        plugin.info().toBuilder()
            .clearSupportedVersions()
            .addAllSupportedVersions(List.of("v1", "v2"))
            .build());
    awaitTrue(() ->
        assertThat(plugin.told())
            .contains(
                FAILED
                    + "plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions [v1 v2]"));
  }

  @Test
  final void tellsAPluginThatItsNameIsNoResource() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = plugin("nic.sock");
    plugin.offer(plugin.info().toBuilder().setName("kubernetes.io/nic").build());
    awaitTrue(() ->
        assertThat(plugin.told())
            .contains(
                FAILED
                    + "plugin validation failed with err: invalid name of device plugin socket: the ResourceName \"kubernetes.io/nic\" is invalid"));
    assertThat(kubelet.capacity()).isEmpty();
  }

  @Test
  final void connectsToTheEndpointThatIsNamed() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = plugin("nic.sock");
    plugin.list("a");
    Path named = dir.resolve("device-plugins/nic.sock");
    plugin.offer(plugin.info().toBuilder().setEndpoint(named.toString()).build());
    awaitCounts(kubelet, 1, 1);
    assertThat(plugin.told()).containsExactly("registered");
  }

  @Test
  final void aPluginWhoseSocketIsTakenAwayIsDisconnected() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, "nic.sock");
    plugin.withdraw();
    awaitCounts(kubelet, 1, 0);
    plugin.offer();
    awaitCounts(kubelet, 1, 1);
  }

  @Test
  final void onlyTheEndOfAListBringsNobodyBack() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    ScriptedPlugin plugin = listed(kubelet, "nic.sock");
    plugin.endStreams();
    awaitCounts(kubelet, 1, 0);
    // Longer than the kubelet's pause between two looks.
    await()
        .during(Duration.ofMillis(2500))
        .atMost(pace().patience())
        .until(() -> plugin.calls("ListAndWatch").size() == 1);
    assertThat(plugin.told()).containsExactly("registered");
  }

  @Test
  final void aKubeletThatStartsFindsWhatLiesThere() throws Exception {
    KubeletUnderTest first = startKubelet();
    ScriptedPlugin plugin = listed(first, "nic.sock");
    first.close();
    KubeletUnderTest second = startKubelet();
    awaitCounts(second, 1, 1);
    assertThat(plugin.told()).containsExactly("registered", "registered");
  }

  @Test
  final void bothWaysStandSideBySide() throws Exception {
    KubeletUnderTest kubelet = startKubelet();
    var _ = listed(kubelet, "nic.sock");
    ScriptedPlugin gpu =
        ScriptedPlugin.serve(
            dir, "vendor.example/gpu", "gpu.sock", DevicePluginOptions.getDefaultInstance());
    open.add(gpu);
    gpu.list("g", "h");
    gpu.register();
    awaitTrue(() ->
        assertThat(kubelet.allocatable())
            .containsExactlyInAnyOrderEntriesOf(Map.of(NIC, 1L, "vendor.example/gpu", 2L)));
    assertThat(kubelet.admit(PodText.of("pod", NIC, 1))).isEmpty();
    assertThat(kubelet.runOptions("pod", "main").env()).containsEntry("DEVICES", "a");
  }

  private KubeletUnderTest startKubelet() throws Exception {
    KubeletUnderTest kubelet = start(dir);
    open.add(kubelet);
    return kubelet;
  }

  private ScriptedPlugin plugin(String socket) throws IOException {
    ScriptedPlugin plugin =
        ScriptedPlugin.serve(dir, NIC, socket, DevicePluginOptions.getDefaultInstance());
    open.add(plugin);
    return plugin;
  }

  private ScriptedPlugin listed(KubeletUnderTest kubelet, String socket) throws IOException {
    ScriptedPlugin plugin = plugin(socket);
    plugin.list("a");
    plugin.offer();
    awaitCounts(kubelet, 1, 1);
    awaitTrue(() -> assertThat(plugin.told()).hasSize(1));
    return plugin;
  }

  private Path registry() {
    return dir.resolve("plugins_registry");
  }

  private void awaitCounts(KubeletUnderTest kubelet, long capacity, long allocatable) {
    awaitTrue(() -> {
      assertThat(kubelet.capacity()).as("capacity").containsEntry(NIC, capacity);
      assertThat(kubelet.allocatable()).as("allocatable").containsEntry(NIC, allocatable);
    });
  }

  private void awaitTrue(ThrowingRunnable assertion) {
    await().atMost(pace().patience()).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
  }
}
