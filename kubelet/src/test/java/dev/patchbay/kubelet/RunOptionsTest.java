package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.answer;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static dev.patchbay.kubelet.ScriptedPlugin.edits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ContainerEdits.Mount;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// What a container is started with.
class RunOptionsTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void everythingThatThePluginSaidIsInThem() throws IOException {
    kubelet.registered(GPU, "a").allocate =
        answer(
            edits(gpu ->
                gpu.putEnvs("GPU", "a")
                    .putAnnotations("vendor.example/gpu", "a")
                    .addDevices(node("/dev/kvm", "/dev/gpu", "rw"))
                    .addMounts(
                        dev.patchbay.proto.deviceplugin.v1beta1.Mount.newBuilder()
                            .setHostPath("/opt/gpu")
                            .setContainerPath("/usr/lib/gpu")
                            .setReadOnly(true))
                    .addCdiDevices(CDIDevice.newBuilder().setName("v.example/gpu=a"))
                    .addCdiDevices(CDIDevice.newBuilder().setName("v.example/gpu=a"))));
    PodSpec pod = pod("p", 1);
    kubelet.admit(pod);

    assertThat(kubelet.manager().runOptions(pod, "main"))
        .contains(
            new ContainerEdits(
                Map.of("GPU", "a"),
                List.of(new DeviceNode("/dev/kvm", "/dev/gpu", "rw")),
                List.of(new Mount("/opt/gpu", "/usr/lib/gpu", true)),
                Map.of("vendor.example/gpu", "a"),
                List.of("v.example/gpu=a")));
  }

  @Test
  void aResourceThatNoPluginEverHadIsNothingThatIsMissing() throws IOException {
    Kubelet manager =
        kubelet.restartWith(usual -> usual.withUnknownResources(UnknownResources.IGNORE));
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "a")));
    PodSpec pod = pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 1L), false));
    kubelet.admit(pod);
    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);

    assertThat(manager.runOptions(pod, "main").orElseThrow().env()).containsEntry("GPU", "a");
  }

  @Test
  void ofTwoPluginsThatDisagreeTheResourceThatIsFirstByNameWins() throws IOException {
    kubelet.registered(NIC, "nic-0").allocate =
        answer(
            edits(nic ->
                nic.putEnvs("WHO", "nic")
                    .putEnvs("NIC", "0")
                    .addDevices(node("/dev/tun", "/dev/shared", "r"))
                    .addDevices(node("/dev/net/tun", "/dev/net/tun", "rw"))));
    kubelet.registered(GPU, "gpu-0").allocate =
        answer(
            edits(gpu ->
                gpu.putEnvs("WHO", "gpu").addDevices(node("/dev/kvm", "/dev/shared", "rw"))));
    PodSpec pod = pod("p", List.of(), container("main", Map.of(NIC, 1L, GPU, 1L), false));
    kubelet.admit(pod);

    ContainerEdits options = kubelet.manager().runOptions(pod, "main").orElseThrow();

    assertThat(options.env()).containsExactlyInAnyOrderEntriesOf(Map.of("WHO", "gpu", "NIC", "0"));
    assertThat(options.deviceNodes())
        .containsExactly(
            new DeviceNode("/dev/kvm", "/dev/shared", "rw"),
            new DeviceNode("/dev/net/tun", "/dev/net/tun", "rw"));
  }

  @Test
  void aContainerWithoutDevicesHasNone() throws IOException {
    kubelet.registered(GPU, "a");
    PodSpec pod = pod("p", List.of(), container("main", 1), container("plain", Map.of(), false));
    kubelet.admit(pod);

    assertThat(kubelet.manager().runOptions(pod, "plain")).isEmpty();
  }

  @Test
  void aContainerThatStartsAgainGetsTheSameWithoutACall() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "a")));
    PodSpec pod = pod("p", 1);
    kubelet.admit(pod);
    var first = kubelet.manager().runOptions(pod, "main");
    plugin.list(device("a", "Unhealthy"), device("b"));
    kubelet.awaitAllocatable(GPU, 1);
    List<String> before = plugin.calls();

    assertThat(kubelet.manager().runOptions(pod, "main"))
        .as("with an unhealthy device")
        .isEqualTo(first);
    plugin.list("b");
    kubelet.awaitCapacity(GPU, 1);
    assertThat(kubelet.manager().runOptions(pod, "main"))
        .as("with a device that is gone")
        .isEqualTo(first);
    assertThat(plugin.calls()).isEqualTo(before);

    plugin.close();
    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.manager().runOptions(pod, "main"))
        .as("with a plugin that is gone")
        .isEqualTo(first);
  }

  @Test
  void aContainerThatStartsAgainAfterARestartGetsTheSameWithoutAPlugin() throws IOException {
    kubelet.registered(GPU, "a").allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "a")));
    PodSpec pod = pod("p", 1);
    kubelet.admit(pod);

    Kubelet restarted = kubelet.restart();

    assertThat(restarted.runOptions(pod, "main")).contains(ContainerEdits.ofEnv("GPU", "a"));
  }

  @Test
  void whatIsMissingIsAllocated() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    plugin.allocate = answer(edits(gpu -> gpu.putEnvs("GPU", "a")));
    kubelet.manager().know(pod("p", 1));

    assertThat(kubelet.manager().runOptions(pod("p", 1), "main"))
        .contains(ContainerEdits.ofEnv("GPU", "a"));

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
  }

  @Test
  void whatWasAllocatedAtAStartOutlivesTheKubelet() throws IOException {
    kubelet.registered(GPU, "a");
    kubelet.manager().know(pod("p", 1));
    kubelet.manager().runOptions(pod("p", 1), "main");

    kubelet.restart();

    assertThat(kubelet.held("p", "main", GPU)).isEqualTo("[a]");
  }

  @Test
  void nothingIsAllocatedForAPodThatEndedOrIsNotKnown() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");
    kubelet.manager().know(pod("ended", 1));
    kubelet.manager().ended("ended", PodPhase.FAILED);

    assertThat(kubelet.manager().runOptions(pod("ended", 1), "main")).isEmpty();
    assertThat(kubelet.manager().runOptions(pod("unknown", 1), "main")).isEmpty();

    assertThat(kubelet.manager().held()).isEmpty();
    assertThat(plugin.calls()).noneMatch(call -> call.startsWith("Allocate"));
  }

  /// Only what is missing of one resource; what the container has of the other stays.
  @Test
  void whatIsThereIsNotAllocatedAgain() throws IOException {
    ScriptedPlugin gpus = kubelet.registered(GPU, "a", "b");
    kubelet.admit(pod("p", 1));
    ScriptedPlugin nics = kubelet.registered(NIC, "nic-0");
    PodSpec pod = pod("p", List.of(), container("main", Map.of(GPU, 1L, NIC, 1L), false));
    kubelet.manager().know(pod);

    var _ = kubelet.manager().runOptions(pod, "main");

    assertThat(gpus.calls()).containsOnlyOnce("Allocate [a]").doesNotContain("Allocate [b]");
    assertThat(nics.calls()).contains("Allocate [nic-0]");
  }

  @Test
  void whatIsMissingAndNotThereIsAnError() {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
    kubelet.manager().know(pod("q", 1));

    assertThatThrownBy(() -> kubelet.manager().runOptions(pod("q", 1), "main"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "requested number of devices unavailable for vendor.example/gpu. Requested: 1,"
                + " Available: 0");
    assertThat(kubelet.manager().held()).containsOnlyKeys("p");
  }

  @Test
  void aContainerThatThePodDoesNotHaveIsAMistakeOfTheCaller() {
    assertThatThrownBy(() -> kubelet.manager().runOptions(pod("p", 1), "other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pod p has no container other");
  }

  private static DeviceSpec.Builder node(String host, String container, String permissions) {
    return DeviceSpec.newBuilder()
        .setHostPath(host)
        .setContainerPath(container)
        .setPermissions(permissions);
  }
}
