package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.device;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Bytes that no plugin in its right mind sends: they harm the one who sent them and nobody else.
class HostileInputTest {
  private static final String LONG = "x".repeat(1 << 20);

  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay.kubelet");
  @AutoClose private final LogCapture rpc = LogCapture.of("dev.patchbay.rpc");
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final RawPlugin raw = new RawPlugin(kubelet.directory());

  @AfterEach
  void nothingFailedInside() {
    assertThat(rpc.lines()).isEmpty();
    assertThat(log.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(3_000));
  }

  @ParameterizedTest
  @MethodSource("badRegistrations")
  void aBadRegistrationIsAnsweredWithAnError(byte[] request) {
    assertThat(raw.register(request)).isPresent();

    assertOthersAreServed();
  }

  static Stream<Arguments> badRegistrations() {
    var good =
        RegisterRequest.newBuilder()
            .setVersion("v1beta1")
            .setEndpoint("gpu.sock")
            .setResourceName(GPU.toString())
            .build();
    return Stream.of(
        argumentSet("nothing", bytes()),
        argumentSet("a name that is not UTF-8", join(good.toByteArray(), bytes(0x1a, 1, 0xff))),
        argumentSet("an endpoint that is not UTF-8", bytes(0x12, 2, 0xc3, 0x28)),
        argumentSet(
            "half a field", Arrays.copyOf(good.toByteArray(), good.getSerializedSize() - 1)),
        argumentSet("a length beyond the end", bytes(0x0a, 0x7f, 'v')),
        argumentSet("a length below zero", bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)),
        argumentSet("a number for a text", bytes(0x08, 1)),
        argumentSet("no such wire type", bytes(0x0f)),
        argumentSet("a group without an end", bytes(0x0b, 0x0b, 0x0b)),
        argumentSet("a long version", good.toBuilder().setVersion(LONG).build().toByteArray()),
        argumentSet(
            "a long name", good.toBuilder().setResourceName("a.b/" + LONG).build().toByteArray()),
        argumentSet(
            "a domain of many labels",
            good.toBuilder().setResourceName("a.".repeat(500_000) + "a/x").build().toByteArray()),
        argumentSet(
            "a domain of many dashes",
            good.toBuilder().setResourceName("a-".repeat(500_000) + "a/x").build().toByteArray()),
        argumentSet(
            "many slashes",
            good.toBuilder().setResourceName("/".repeat(1_000_000)).build().toByteArray()),
        argumentSet("a long endpoint", good.toBuilder().setEndpoint(LONG).build().toByteArray()),
        argumentSet(
            "a long way down",
            good.toBuilder().setEndpoint("a/".repeat(100_000)).build().toByteArray()),
        argumentSet(
            "a long way up",
            good.toBuilder().setEndpoint("../".repeat(100_000)).build().toByteArray()),
        argumentSet("five mebibytes", new byte[5 << 20]));
  }

  @Test
  void aFieldThatNobodyKnowsIsNoHarm() {
    kubelet.plugin("gpu.sock").list("a");
    byte[] newer =
        join(
            RegisterRequest.newBuilder()
                .setVersion("v1beta1")
                .setEndpoint("gpu.sock")
                .setResourceName(GPU.toString())
                .build()
                .toByteArray(),
            bytes(0xfa, 0x3f, 3, 'n', 'e', 'w'));

    assertThat(raw.register(newer)).isEmpty();

    kubelet.awaitAllocatable(GPU, 1);
  }

  @ParameterizedTest
  @MethodSource("badLists")
  void aListThatCannotBeReadEndsTheStreamOfItsPlugin(byte[] list) {
    raw.serveAs(GPU);
    raw.list(bytes(0x0a, 12, 0x0a, 1, 'a', 0x12, 7, 'H', 'e', 'a', 'l', 't', 'h', 'y'));
    kubelet.awaitAllocatable(GPU, 1);

    raw.list(list);

    kubelet.awaitAllocatable(GPU, 0);
    assertThat(kubelet.counts(GPU)).isEqualTo("1/0");
    assertOthersAreServed();
  }

  static Stream<Arguments> badLists() {
    return Stream.of(
        argumentSet("an id that is not UTF-8", bytes(0x0a, 4, 0x0a, 2, 0xff, 0xfe)),
        argumentSet("a health that is not UTF-8", bytes(0x0a, 6, 0x0a, 1, 'a', 0x12, 1, 0x80)),
        argumentSet("a length beyond the end", bytes(0x0a, 0x7f)),
        argumentSet("a group without an end", bytes(0x0b, 0x0b)));
  }

  @Test
  void ofTwoMillionDevicesWithoutAnIdAFewAreLogged() {
    raw.serveAs(GPU);
    byte[] list = new byte[(4 << 20) - 64];
    for (int i = 0; i < list.length; i += 2) list[i] = 0x0a;

    raw.list(list);

    kubelet.awaitCapacity(GPU, 0);
    assertThat(log.lines())
        .hasSize(11)
        .last()
        .asString()
        .isEqualTo(
            "WARNING odd list resource=vendor.example/gpu problem=and %d more like these"
                .formatted(list.length / 2 - 10));
  }

  @Test
  void aListAsLargeAsTheyComeIsTakenWhole() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");
    int most = 100_000;
    List<Device> devices =
        new ArrayList<>(
            IntStream.range(0, most).mapToObj(i -> device("%028d".formatted(i))).toList());
    Collections.shuffle(devices, new Random(1));
    assertThat(ListAndWatchResponse.newBuilder().addAllDevices(devices).build().getSerializedSize())
        .isLessThan(4 << 20);

    plugin.list(devices.toArray(Device[]::new));

    kubelet.awaitAllocatable(GPU, most);
    kubelet.admit(pod("p", 2));
    assertThat(kubelet.held("p", "main", GPU))
        .isEqualTo("[" + "0".repeat(28) + ", " + "0".repeat(27) + "1]");
    assertThat(kubelet.restart().held()).containsOnlyKeys("p");
  }

  @Test
  void aLongIdIsAnId() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");

    plugin.list(device(LONG), device(LONG + "y"));

    kubelet.awaitAllocatable(GPU, 2);
    kubelet.admit(pod("p", 2));
    assertThat(kubelet.held("p", "main", GPU)).hasSizeGreaterThan(2 * LONG.length());
  }

  /// Sixty thousand devices, each on nodes of its own choice, and one on nearly all that there can
  /// be.
  @Test
  void anAbsurdTopologyHoldsUpNobody() {
    kubelet.restartWith(usual ->
        usual.withTopology(
            TopologySettings.of("best-effort", "container"), NumaMachine.regular(8, 1, 1)));
    ScriptedPlugin plugin = kubelet.registered(GPU, "x");
    var random = new Random(2);
    List<Device> devices =
        new ArrayList<>(
            IntStream.range(0, 60_000)
                .mapToObj(i -> device("d" + i, random.longs(5, 0, 70).toArray()))
                .toList());
    devices.add(device("everywhere", IntStream.range(-1_000, 100_000).asLongStream().toArray()));

    plugin.list(devices.toArray(Device[]::new));

    kubelet.awaitAllocatable(GPU, 60_001);
    kubelet.admit(pod("p", 3));
    assertOthersAreServed();
  }

  @ParameterizedTest
  @MethodSource("badInfos")
  void aPluginOfTheRegistryThatTellsNonsenseIsNotRegistered(byte[] info) throws Exception {
    Path registry = Files.createDirectory(kubelet.directory().resolveSibling("registry"));
    try (var _ = new RawPlugin(registry).serveRegistry("bad.sock", info)) {
      kubelet.manager().watchPlugins(registry);

      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> log.lines().stream().anyMatch(line -> line.contains("plugin not registered")));

      assertOthersAreServed();
    }
  }

  static Stream<Arguments> badInfos() {
    var good =
        PluginInfo.newBuilder()
            .setType("DevicePlugin")
            .setName(GPU.toString())
            .setEndpoint("/tmp/none.sock")
            .addSupportedVersions("v1beta1")
            .build();
    return Stream.of(
        argumentSet("nothing", bytes()),
        argumentSet("a name that is not UTF-8", bytes(0x12, 1, 0xff)),
        argumentSet("half a field", bytes(0x0a, 12, 'D')),
        argumentSet("a type that is none", info(good.toBuilder().setType(LONG))),
        argumentSet("a name that is none", info(good.toBuilder().setName(LONG))),
        argumentSet("an endpoint with a zero byte", info(good.toBuilder().setEndpoint("/a\0b"))),
        argumentSet("an endpoint that is not absolute", info(good.toBuilder().setEndpoint("a"))),
        argumentSet("an endpoint that is too long", info(good.toBuilder().setEndpoint("/" + LONG))),
        argumentSet(
            "versions without end",
            info(
                good.toBuilder()
                    .clearSupportedVersions()
                    .addAllSupportedVersions(Collections.nCopies(200_000, "v0")))));
  }

  private void assertOthersAreServed() {
    kubelet.registered(NIC, "nic-0");
    assertThat(kubelet.counts(NIC)).isEqualTo("1/1");
  }

  private static byte[] info(PluginInfo.Builder info) {
    return info.build().toByteArray();
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) values[i];
    return bytes;
  }

  private static byte[] join(byte[] first, byte[] second) {
    var all = new ByteArrayOutputStream();
    all.writeBytes(first);
    all.writeBytes(second);
    return all.toByteArray();
  }
}
