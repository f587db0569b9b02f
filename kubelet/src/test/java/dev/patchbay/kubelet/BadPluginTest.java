package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static dev.patchbay.kubelet.ScriptedPlugin.fail;
import static dev.patchbay.kubelet.ScriptedPlugin.hang;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.patchbay.kubelet.ScriptedPlugin.Script;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Plugins that hang, die or lie in Allocate: the pod is refused with the reason, nothing stays
/// held, everything else goes on.
class BadPluginTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @ParameterizedTest
  @MethodSource("badAnswers")
  void aBadAnswerRefusesThePodAndHoldsNothing(
      Script<AllocateRequest, AllocateResponse> script, String why) {
    kubelet.registered(NIC, "nic-0");
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate = script;

    assertThat(kubelet.refusal(pod("p", 2)))
        .isEqualTo(
            "UnexpectedAdmissionError: Allocate failed due to " + why + ", which is unexpected");

    assertThat(kubelet.manager().held()).isEmpty();
    assertThat(kubelet.counts(GPU)).isEqualTo("2/2");
    assertThat(kubelet.counts(NIC)).isEqualTo("1/1");
    plugin.allocate = answer(edits(_ -> {}));
    kubelet.admit(pod("q", 2));
  }

  static Stream<Arguments> badAnswers() {
    return Stream.of(
        argumentSet(
            "an error",
            fail(Status.UNKNOWN.withDescription("device on fire")),
            "rpc error: code = Unknown desc = device on fire"),
        argumentSet(
            "an error without words",
            fail(Status.FAILED_PRECONDITION),
            "rpc error: code = FailedPrecondition desc = "),
        argumentSet(
            "no container's answer",
            answer(AllocateResponse.getDefaultInstance()),
            "no containers return in allocation response "),
        argumentSet(
            "a device node with a relative path",
            answer(edits(gpu -> gpu.addDevices(node("dev/gpu", "/dev/gpu", "rw")))),
            "the host path of a device is not absolute: \"dev/gpu\""),
        argumentSet(
            "a device node without a place",
            answer(edits(gpu -> gpu.addDevices(node("/dev/gpu", "", "rw")))),
            "the container path of device /dev/gpu is not absolute: \"\""),
        argumentSet(
            "permissions that are none",
            answer(edits(gpu -> gpu.addDevices(node("/dev/gpu", "/dev/gpu", "rx")))),
            "device node /dev/gpu has the permissions \"rx\"; needed are some of r, w, m"),
        argumentSet(
            "a mount with a relative path",
            answer(
                edits(gpu ->
                    gpu.addMounts(Mount.newBuilder().setHostPath("/opt").setContainerPath("opt")))),
            "the container path of mount /opt is not absolute: \"opt\""));
  }

  private static DeviceSpec.Builder node(String host, String container, String permissions) {
    return DeviceSpec.newBuilder()
        .setHostPath(host)
        .setContainerPath(container)
        .setPermissions(permissions);
  }

  @Test
  void anAnswerOfMoreThanFourMebibytesRefusesThePod() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = answer(edits(gpu -> gpu.putEnvs("LONG", "x".repeat(5 << 20))));

    assertThat(kubelet.refusal(pod("p", 1))).contains("rpc error: code = ResourceExhausted");

    assertThat(kubelet.manager().held()).isEmpty();
    plugin.allocate = answer(edits(_ -> {}));
    kubelet.admit(pod("q", 1));
  }

  @Test
  void ofTwoContainersAnswersTheFirstCounts() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate =
        answer(
            edits(gpu -> gpu.putEnvs("WHICH", "first")).toBuilder()
                .mergeFrom(edits(gpu -> gpu.putEnvs("WHICH", "second")))
                .build());
    PodSpec pod = pod("p", 1);

    kubelet.admit(pod);

    assertThat(kubelet.manager().runOptions(pod, "main"))
        .contains(ContainerEdits.ofEnv("WHICH", "first"));
  }

  @Test
  void aPluginThatHangsRefusesThePodInTime() throws IOException {
    try (KubeletSide impatient = KubeletSide.impatient()) {
      ScriptedPlugin plugin = impatient.registered(GPU, "a", "b");
      plugin.allocate = hang();

      assertThat(impatient.refusal(pod("p", 2)))
          .startsWith(
              "UnexpectedAdmissionError: Allocate failed due to device plugin of"
                  + " vendor.example/gpu did not answer Allocate within PT2S: rpc error: code ="
                  + " DeadlineExceeded");

      assertThat(impatient.manager().held()).isEmpty();
      plugin.allocate = answer(edits(_ -> {}));
      impatient.admit(pod("q", 2));
    }
  }

  @Test
  void aPluginThatHangsHoldsUpItsOwnPodAlone() throws Exception {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    kubelet.registered(NIC, "nic-0");
    var asked = new CompletableFuture<StreamObserver<AllocateResponse>>();
    plugin.allocate = (_, observer) -> asked.complete(observer);
    Future<Admission> hanging = threads.submit(() -> kubelet.manager().admit(pod("p", 1)));
    StreamObserver<AllocateResponse> unanswered = asked.get();

    plugin.allocate = answer(edits(_ -> {}));
    kubelet.admit(pod("q", 1));
    kubelet.admit(pod("r", List.of(), container("main", Map.of(NIC, 1L), false)));

    assertThat(kubelet.held("q", "main", GPU)).as("[a] is reserved").isEqualTo("[b]");
    assertThat(kubelet.refusal(pod("s", 1))).contains("Requested: 1, Available: 0");
    unanswered.onError(Status.ABORTED.asException());
    assertThat(hanging.get()).isInstanceOf(Admission.Refused.class);
    kubelet.admit(pod("t", 1));
    assertThat(kubelet.held("t", "main", GPU)).isEqualTo("[a]");
  }

  @Test
  void aPluginThatDiesRefusesThePodAndComesBackToServeTheNext() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate = plugin.die();

    assertThat(kubelet.refusal(pod("p", 1)))
        .startsWith("UnexpectedAdmissionError: Allocate failed due to rpc error: code = ")
        .endsWith(", which is unexpected");

    assertThat(kubelet.manager().held()).isEmpty();
    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("2/0");
    await("the dying plugin's socket is gone")
        .until(() -> Files.notExists(kubelet.directory().resolve("gpu.sock")));
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("q", 2));
  }

  @Test
  void aPodThatEndsDuringAllocateHoldsNothing() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate =
        (_, observer) -> {
          kubelet.manager().release("p");
          observer.onNext(edits(_ -> {}));
          observer.onCompleted();
        };

    assertThat(kubelet.refusal(pod("p", 1)))
        .contains("pod \"p\" ended while the plugin of vendor.example/gpu was asked");

    assertThat(kubelet.manager().held()).isEmpty();
  }

  @Test
  void aDeviceThatLeavesTheListDuringAllocateIsHeldStill() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate =
        (_, observer) -> {
          plugin.list("b");
          kubelet.awaitCapacity(GPU, 1);
          observer.onNext(edits(_ -> {}));
          observer.onCompleted();
        };

    kubelet.admit(pod("p", 1));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
    assertThat(kubelet.counts(GPU)).isEqualTo("1/1");
  }

  @Test
  void aManagerThatStopsWaitsForNoPlugin() throws Exception {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = hang();
    Future<Admission> hanging = threads.submit(() -> kubelet.manager().admit(pod("p", 1)));
    await().until(() -> plugin.calls().contains("Allocate [a]"));

    kubelet.manager().close();

    assertThat(hanging.get()).isInstanceOf(Admission.Refused.class);
    assertThat(kubelet.refusal(pod("q", 1))).contains("the device manager is stopped");
  }
}
