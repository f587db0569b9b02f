package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What plugins say in Register, right and wrong, and what comes of it.
class RegistrationTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void connectsBackAsksForOptionsAndReadsTheList() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("gpu-0", "gpu-1");

    assertThat(plugin.register(GPU)).isEmpty();

    kubelet.awaitAllocatable(GPU, 2);
    assertThat(plugin.calls()).containsExactly("GetDevicePluginOptions", "ListAndWatch");
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
  }

  @Test
  void aResourceIsNotShownBeforeItsFirstList() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");

    assertThat(plugin.register(GPU)).isEmpty();
    await().until(() -> plugin.calls().contains("ListAndWatch"));

    assertThat(kubelet.counts(GPU)).isEqualTo("-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "v1", "v1alpha2", "v1beta2", "V1BETA1", "v1beta1 "})
  void refusesAnotherVersion(String version) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");

    assertRefused(
        plugin.register(version, GPU.toString(), plugin.endpoint()),
        "requested API version \""
            + version
            + "\" is not supported by kubelet. Supported version is [\"v1beta1\"]");
    assertThat(plugin.calls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "gpu",
        "/gpu",
        "vendor.example/",
        "vendor.example/a/b",
        "vendor.example/-a",
        "vendor.example/a b",
        "Vendor.example/a",
        "vendor_.example/a",
        "kubernetes.io/gpu",
        "x.kubernetes.io/gpu",
        "mykubernetes.io/gpu",
        "requests.vendor.example/gpu"
      })
  void refusesABadResourceName(String name) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");

    assertRefused(
        plugin.register("v1beta1", name, plugin.endpoint()),
        "the ResourceName \"" + name + "\" is invalid");
    assertThat(plugin.calls()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"''", ".", "..", "/tmp/gpu.sock", "../gpu.sock", "a/b", "gpu.sock/", "./gpu.sock"})
  void refusesAnEndpointThatIsNoFileName(String endpoint) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");

    assertRefused(
        plugin.register("v1beta1", GPU.toString(), endpoint),
        "the endpoint \""
            + endpoint
            + "\" is not the name of a socket file in "
            + kubelet.directory());
    assertThat(plugin.calls()).isEmpty();
  }

  @Test
  void refusesAnEndpointThatIsTooLongForASocket() {
    String endpoint = "e".repeat(120);
    int bytes = kubelet.directory().toString().length() + 1 + 120;

    assertRefused(
        kubelet.plugin("gpu.sock").register("v1beta1", GPU.toString(), endpoint),
        "socket path %s/%s has %d bytes; a Unix socket's path has at most 107"
            .formatted(kubelet.directory(), endpoint, bytes));
  }

  @Test
  void refusesAnEndpointWithAZeroByte() {
    Optional<Status> answer =
        kubelet.plugin("gpu.sock").register("v1beta1", GPU.toString(), "gpu\0.sock");

    assertThat(answer.orElseThrow().getDescription()).contains("is not the name of a socket file");
    assertOtherPluginsAreServed();
  }

  @Test
  void refusesThePathOfItsOwnSocket() {
    assertRefused(
        kubelet.plugin("gpu.sock").register("v1beta1", GPU.toString(), "kubelet.sock"),
        "failed to get device plugin options: rpc error: code = Unimplemented desc = unknown service"
            + " v1beta1.DevicePlugin");
  }

  @Test
  void waitsForAPluginThatRegistersBeforeItOpensItsSocket() throws Exception {
    ScriptedPlugin plugin = new ScriptedPlugin(kubelet.directory(), "gpu.sock").list("gpu-0");
    try (plugin;
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<Status>> answer = threads.submit(() -> plugin.register(GPU));
      plugin.open();

      assertThat(answer.get()).isEmpty();
      kubelet.awaitAllocatable(GPU, 1);
    }
  }

  @Test
  void refusesAPluginThatDoesNotTellItsOptions() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");
    plugin.options = ScriptedPlugin.fail(Status.INTERNAL.withDescription("no idea"));

    assertRefused(
        plugin.register(GPU),
        "failed to get device plugin options: rpc error: code = Internal desc = no idea");
    assertThat(plugin.calls()).containsExactly("GetDevicePluginOptions");
  }

  /// The refusal is as Go's gRPC words a handler's plain error, the resource is unknown as before,
  /// and the next plugin is served.
  private void assertRefused(Optional<Status> answer, String message) {
    Status status = answer.orElseThrow(() -> new AssertionError("accepted"));
    assertThat(status.getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(status.getDescription()).isEqualTo(message);
    assertOtherPluginsAreServed();
  }

  private void assertOtherPluginsAreServed() {
    assertThat(kubelet.counts(GPU)).isEqualTo("-");
    kubelet.registered(NIC, "nic-0");
    assertThat(kubelet.counts(NIC)).isEqualTo("1/1");
  }
}
