package dev.patchbay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.sdk.PluginState;
import dev.patchbay.testkit.ScriptedKubelet;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The agent between a host of plain files, offered as mounts since device nodes need root, and a
/// kubelet on real sockets.
@Timeout(60)
final class AgentTest {
  private static final String TOYS =
      """
      version: 1
      health: {gone-after: 1h, flap-changes: 1000}
      drivers:
        device-node:
          domain: a.b
          devices:
            - {name: toy, groups: [{paths: [{path: "/dev/toy*", type: mount}]}]}
            - {name: car, groups: [{paths: [{path: "/dev/car*", type: mount}]}]}
      """;
  private static final String TOY = "a.b/toy";
  private static final String CAR = "a.b/car";

  private Path dir = Path.of("/nonexistent");
  private Path dev = Path.of("/nonexistent");
  private ScriptedKubelet kubelet = ScriptedKubelet.in(dir);

  // Each test starts its own.
  @SuppressWarnings("NullAway.Init")
  private Agent agent;

  @BeforeEach
  void start() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    dev = Files.createDirectories(dir.resolve("host/dev"));
    device("toy0");
    device("toy1");
    device("car0");
    kubelet = ScriptedKubelet.in(dir.resolve("kubelet"));
  }

  @AfterEach
  void end() throws IOException {
    if (agent != null) agent.close();
    kubelet.close();
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  @Test
  void theFirstListOfEachResourceIsTheFullOne() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");
    awaitNewest(CAR, "car0=Healthy");

    assertThat(kubelet.lists().of(TOY)).hasSize(1);
    assertThat(kubelet.mistakes()).isEmpty();
  }

  @Test
  void allocateGivesWhatTheConfigurationSays() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    ContainerAllocateResponse answer = allocate(TOY, "toy0", "toy1");

    assertThat(answer.getMountsList())
        .extracting(mount -> mount.getHostPath() + " " + mount.getContainerPath())
        .containsExactly("/dev/toy0 /dev/toy0", "/dev/toy1 /dev/toy1");
  }

  @Test
  void aDeviceThatComesIsListedAndOneThatGoesIsUnhealthyUntilItComesBack() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    device("toy2");
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy", "toy2=Healthy");
    Files.delete(dev.resolve("toy0"));
    awaitNewest(TOY, "toy0=Unhealthy", "toy1=Healthy", "toy2=Healthy");
    assertThat(refusal(TOY, "toy0")).contains("toy0");
    device("toy0");
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy", "toy2=Healthy");

    assertThat(kubelet.lists().of(CAR)).as("the neighbour was not sent again").hasSize(1);
  }

  @Test
  void aDeviceIsForgottenWhenItWasGoneForLong() throws IOException {
    kubelet.start();
    startAgent(TOYS.replace("1h", "0s"));
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    Files.delete(dev.resolve("toy0"));

    awaitNewest(TOY, "toy1=Healthy");
  }

  @Test
  void anOutOfServiceDeviceIsUnhealthyAndItsNeighboursAreLeftAlone() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    agent.apply(config(TOYS + "out-of-service: [{resource: a.b/toy, device: toy1, reason: x}]\n"));
    awaitNewest(TOY, "toy0=Healthy", "toy1=Unhealthy");
    assertThat(refusal(TOY, "toy1")).contains("toy1");
    agent.apply(config(TOYS));
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    assertThat(kubelet.lists().of(CAR)).hasSize(1);
    assertThat(kubelet.registrations()).as("nothing registered again").hasSize(2);
  }

  @Test
  void aResourceThatLeavesTheConfigurationIsWithdrawnAloneAndAtOnce() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");
    awaitNewest(CAR, "car0=Healthy");

    agent.apply(config(TOYS.replace("{name: car", "{name: lorry")));

    awaitNewest("a.b/lorry", "car0=Healthy");
    Awaitility.await().until(() -> kubelet.lists().openStreams(CAR) == 0);
    assertThat(kubelet.lists().of(TOY)).hasSize(1);
    assertThat(agent.resources())
        .containsOnlyKeys(ResourceName.of(TOY), ResourceName.of("a.b/lorry"));
  }

  @Test
  void aDeviceThatTheConfigurationNoLongerMeansIsNotMissing() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    agent.apply(config(TOYS.replace("toy*", "toy1")));

    awaitNewest(TOY, "toy1=Healthy");
  }

  @Test
  void aDriverThatIsSwitchedOffWithdrawsItsResources() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    agent.apply(config("version: 1\ndrivers: {kubevirt: {presets: [kvm]}}\n"));

    Awaitility.await().until(() -> kubelet.lists().openStreams(TOY) == 0);
    assertThat(agent.resources()).isEmpty();
    try (Stream<Path> left = Files.list(kubelet.devicePluginDir())) {
      assertThat(left.map(path -> path.getFileName().toString())).containsExactly("kubelet.sock");
    }
  }

  @Test
  void aResourceThatIsNotOnTheMachineYetIsOfferedWhenItComes() throws IOException {
    kubelet.start();
    startAgent("version: 1\ndrivers: {kubevirt: {presets: [fuse], max-devices: 2}}\n");

    Files.createSymbolicLink(dev.resolve("fuse"), Path.of("nowhere"));
    awaitNewest("devices.kubevirt.io/fuse", "fuse0=Unhealthy", "fuse1=Unhealthy");
  }

  @Test
  void otherWaysToRegisterTakeTheirPlace() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");
    Path registry = Files.createDirectory(dir.resolve("kubelet/plugins_registry"));

    agent.apply(config(TOYS + "registration: {ways: [plugins-registry]}\n"));

    Awaitility.await().until(() -> kubelet.lists().openStreams(TOY) == 0);
    Awaitility.await()
        .untilAsserted(() -> assertThat(registry).isDirectoryContaining("glob:**.sock"));
  }

  @Test
  void anAgentWithoutAKubeletWaitsForIt() throws IOException {
    startAgent(TOYS);
    Awaitility.await()
        .until(() ->
            agent.resources().size() == 2
                && agent.resources().values().stream()
                    .allMatch(state -> state instanceof PluginState.WaitingForKubelet));

    kubelet.start();

    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");
    awaitNewest(CAR, "car0=Healthy");
  }

  @Test
  void aResourceThatTheKubeletRefusesDoesNotHoldUpTheOthers() throws IOException {
    kubelet.scriptFor(TOY, ScriptedKubelet.Answer.REFUSE).start();
    startAgent(TOYS);

    awaitNewest(CAR, "car0=Healthy");
    assertThat(kubelet.lists().of(TOY)).isEmpty();
  }

  @Test
  void itIsReadyWhenAllIsRegisteredAndSaysWhatIsNot() throws IOException {
    kubelet.scriptFor(TOY, ScriptedKubelet.Answer.REFUSE).start();
    startAgent(TOYS);
    awaitNewest(CAR, "car0=Healthy");

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(agent.health().ready().body())
                .startsWith("not ok resource a.b/toy: waiting for the kubelet: the kubelet refused")
                .endsWith("\nok resource a.b/car: registered\n"));
    assertThat(agent.health().ready().status()).isEqualTo(503);

    agent.apply(config(TOYS.replace("{name: toy", "{name: toi")));
    Awaitility.await()
        .untilAsserted(() -> assertThat(agent.health().ready().status()).isEqualTo(200));
  }

  @Test
  void anAgentWithoutAKubeletIsAliveButNotReady() throws IOException {
    startAgent(TOYS);

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(agent.health().ready().body())
                .contains("not ok resource a.b/toy: waiting for the kubelet: there is no /"));
    assertThat(agent.health().alive().status()).isEqualTo(200);
    assertThat(agent.health().alive().body()).isEqualTo("ok driver device-node\n");
  }

  /// A container's mount of a directory that the host removed is one without links; so is one that
  /// is only open still.
  @Test
  void anAgentWhoseDirectoryWasRemovedUnderItsMountNeedsARestart() throws IOException {
    Path removed = Files.createDirectory(dir.resolve("removed"));
    try (var _ = Files.newDirectoryStream(removed)) {
      Path open = openDescriptorOf(removed);
      Files.createSymbolicLink(
          Files.createDirectory(dir.resolve("kubelet")).resolve("device-plugins"), open);
      startAgent(TOYS);
      assertThat(agent.health().alive().status()).isEqualTo(200);

      Files.delete(removed);

      assertThat(agent.health().alive().status()).isEqualTo(503);
      assertThat(agent.health().alive().body())
          .startsWith(
              "not ok directory " + dir.resolve("kubelet/device-plugins") + ": was removed");
      agent.close();
    } finally {
      Files.delete(dir.resolve("kubelet/device-plugins"));
    }
  }

  private static Path openDescriptorOf(Path directory) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(each -> leadsTo(each, directory)).findFirst().orElseThrow();
    }
  }

  private static boolean leadsTo(Path link, Path target) {
    try {
      return Files.readSymbolicLink(link).equals(target);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Test
  void anAgentThatHasNothingToOfferIsReady() throws IOException {
    startAgent("version: 1\ndrivers: {}\n");

    assertThat(agent.health().ready().status()).isEqualTo(200);
    assertThat(agent.health().ready().body()).isEqualTo("ok nothing to do\n");
    assertThat(agent.health().alive().status()).isEqualTo(200);
  }

  @Test
  void anAgentThatEndsLeavesNoSocket() throws IOException {
    kubelet.start();
    startAgent(TOYS);
    awaitNewest(TOY, "toy0=Healthy", "toy1=Healthy");

    agent.close();
    agent.close();

    try (Stream<Path> left = Files.list(kubelet.devicePluginDir())) {
      assertThat(left.map(path -> path.getFileName().toString())).containsExactly("kubelet.sock");
    }
  }

  private void startAgent(String config) throws IOException {
    agent =
        Agent.start(
            HostRoot.of(dir.resolve("host")),
            dir.resolve("kubelet"),
            config(config),
            InstantSource.system());
  }

  private void device(String name) throws IOException {
    Files.writeString(dev.resolve(name), "");
  }

  private void awaitNewest(String resource, String... healths) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(kubelet.lists().newest(resource)).containsExactly(healths));
  }

  private ContainerAllocateResponse allocate(String resource, String... ids) throws IOException {
    var request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(List.of(ids)))
            .build();
    return kubelet.plugin(resource).allocate(request).getContainerResponses(0);
  }

  private String refusal(String resource, String id) throws IOException {
    try {
      return fail("allocated " + allocate(resource, id));
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isNotEqualTo(Status.Code.UNKNOWN);
      return String.valueOf(e.getStatus().getDescription());
    }
  }

  private static AgentConfig config(String text) {
    return switch (ConfigReader.read("test", text)) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong -> fail(wrong.problems().toString());
    };
  }
}
