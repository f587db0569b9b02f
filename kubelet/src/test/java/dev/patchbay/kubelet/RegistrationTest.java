package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

  /// Since 1.25 the plugin is asked for them.
  @Test
  void theOptionsInARegistrationCountForNothing() throws IOException {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a", "b");
    var wishes =
        DevicePluginOptions.newBuilder()
            .setPreStartRequired(true)
            .setGetPreferredAllocationAvailable(true);
    try (var raw = new RawPlugin(kubelet.directory())) {
      assertThat(
              raw.register(
                  RegisterRequest.newBuilder()
                      .setVersion("v1beta1")
                      .setEndpoint("gpu.sock")
                      .setResourceName(GPU.toString())
                      .setOptions(wishes)
                      .build()
                      .toByteArray()))
          .isEmpty();
    }
    kubelet.awaitAllocatable(GPU, 2);
    kubelet.admit(Pods.pod("p", 1));

    assertThat(kubelet.manager().runOptions(Pods.pod("p", 1), "main")).isPresent();

    assertThat(plugin.calls())
        .containsExactly("GetDevicePluginOptions", "ListAndWatch", "Allocate [a]");
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
  @ValueSource(strings = {"gpu.sock/", "./gpu.sock", "/gpu.sock", "//gpu.sock", "sub/../gpu.sock"})
  void anEndpointIsAPathBelowTheDirectory(String endpoint) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a");

    assertThat(plugin.register("v1beta1", GPU.toString(), endpoint)).isEmpty();

    kubelet.awaitAllocatable(GPU, 1);
  }

  @Test
  void anEndpointMayLieInADirectoryOfItsOwn() throws IOException {
    Files.createDirectory(kubelet.directory().resolve("gpu"));
    ScriptedPlugin plugin = kubelet.plugin("gpu/gpu.sock").list("a");

    assertThat(plugin.register(GPU)).isEmpty();

    kubelet.awaitAllocatable(GPU, 1);
  }

  @ParameterizedTest
  @CsvSource({
    "'', is not the name of a socket file in",
    "., is not the name of a socket file in",
    "/, is not the name of a socket file in",
    ".., leads out of",
    "../gpu.sock, leads out of",
    "sub/../../gpu.sock, leads out of",
    "/../kubelet.sock, leads out of"
  })
  void refusesAnEndpointThatDoesNotLieInTheDirectory(String endpoint, String why) {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");

    assertRefused(
        plugin.register("v1beta1", GPU.toString(), endpoint),
        "the endpoint \"%s\" %s %s".formatted(endpoint, why, kubelet.directory()));
    assertThat(plugin.calls()).isEmpty();
  }

  @Test
  void saysWhereItLookedForAPathFromTheRoot() throws IOException {
    try (KubeletSide impatient = KubeletSide.impatient()) {
      ScriptedPlugin plugin = impatient.plugin("gpu.sock");
      String path = impatient.directory().resolve("gpu.sock").toString();

      assertThat(plugin.register("v1beta1", GPU.toString(), path).orElseThrow().getDescription())
          .isEqualTo(
              "failed to dial device plugin: nobody answers on %s%s: there is no such file"
                  .formatted(impatient.directory(), path));
    }
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

    assertThat(answer.orElseThrow().getDescription())
        .isEqualTo(
            "the endpoint \"gpu\0.sock\" cannot be the name of a file here: Nul character not"
                + " allowed");
    assertOtherPluginsAreServed();
  }

  @Test
  void refusesThePathOfItsOwnSocket() {
    assertRefused(
        kubelet.plugin("gpu.sock").register("v1beta1", GPU.toString(), "kubelet.sock"),
        "failed to get device plugin options: rpc error: code = Unimplemented desc = unknown"
            + " service v1beta1.DevicePlugin");
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

  /// Since Kubernetes 1.35 a plugin that gives up its Register call is not asked any more.
  @Test
  void aPluginThatGivesUpIsNotRegistered() {
    kubelet.restartWith(usual -> usual.withMinor(KubernetesMinor.V1_36));
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a");
    var asked = new CompletableFuture<ServerCallStreamObserver<DevicePluginOptions>>();
    plugin.options =
        (_, answer) -> {
          var call = (ServerCallStreamObserver<DevicePluginOptions>) answer;
          call.setOnCancelHandler(() -> {});
          asked.complete(call);
        };

    assertThat(plugin.registerFor(Duration.ofMillis(300), GPU))
        .map(Status::getCode)
        .contains(Status.Code.DEADLINE_EXCEEDED);

    await().until(() -> asked.join().isCancelled());
    assertThat(plugin.calls()).containsExactly("GetDevicePluginOptions");
    assertOtherPluginsAreServed();
  }

  @Test
  void upTo1Point34APluginThatGivesUpIsRegisteredAllTheSame() {
    kubelet.restartWith(usual -> usual.withMinor(KubernetesMinor.V1_34));
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a");
    var asked = new CompletableFuture<StreamObserver<DevicePluginOptions>>();
    plugin.options = (_, answer) -> asked.complete(answer);

    assertThat(plugin.registerFor(Duration.ofMillis(300), GPU))
        .map(Status::getCode)
        .contains(Status.Code.DEADLINE_EXCEEDED);
    asked.join().onNext(DevicePluginOptions.getDefaultInstance());
    asked.join().onCompleted();

    kubelet.awaitAllocatable(GPU, 1);
  }

  @Test
  void theDirectoryIsMadeForAllToReadAndAnExistingOneKeepsItsMode() throws IOException {
    Path made = kubelet.directory();
    var readable =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
    Path alike = Files.createDirectory(made.resolveSibling("alike"), readable);
    assertThat(Files.getPosixFilePermissions(made)).isEqualTo(Files.getPosixFilePermissions(alike));

    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
    kubelet.restart();

    assertThat(Files.getPosixFilePermissions(made))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
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
