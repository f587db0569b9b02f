package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.patchbay.kubelet.metrics.CountedRegistrations;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import dev.patchbay.proto.pluginregistration.RegistrationStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Device plugins that are found in `plugins_registry`, from their socket there to their devices.
class RegistryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BETWEEN_PASSES = Duration.ofMillis(10);

  private final KubeletMetrics metrics = new KubeletMetrics();

  @AutoClose
  private final KubeletSide kubelet =
      KubeletSide.startedWith(UnaryOperator.identity(), new CountedRegistrations(metrics));

  private final Path registry = kubelet.directory().resolveSibling("registry");
  @AutoClose private final RawPlugin one = new RawPlugin(registry);
  @AutoClose private final RawPlugin two = new RawPlugin(registry);

  @BeforeEach
  void watch() throws IOException {
    Files.createDirectory(registry);
    kubelet.manager().watchPlugins(PluginWatcherConfig.of(registry).withPassEvery(BETWEEN_PASSES));
  }

  private byte[] info(String name, String endpoint, String... versions) {
    return PluginInfo.newBuilder()
        .setType("DevicePlugin")
        .setName(name)
        .setEndpoint(endpoint)
        .addAllSupportedVersions(List.of(versions))
        .build()
        .toByteArray();
  }

  private byte[] gpus() {
    return info(GPU.toString(), kubelet.directory().resolve("gpu.sock").toString(), "v1beta1");
  }

  @Test
  void aPluginThatIsFoundIsAsOneThatRegistered() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a", "b");

    one.serveRegistry("one.sock", gpus());

    awaitCounts(GPU, "2/2");
    kubelet.admit(pod("p", 1));
    assertThat(plugin.calls())
        .containsExactly("GetDevicePluginOptions", "ListAndWatch", "Allocate [a]");
    awaitPasses(() -> !one.statuses.isEmpty());
    assertThat(metrics.text())
        .as("calls of Register are counted, and there was none")
        .doesNotContain("kubelet_device_plugin_registration_total");
    one.close();
    awaitCounts(GPU, "2/0");
  }

  @Test
  void aStreamThatEndsIsNoReasonToRegisterAgain() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock").list("a");
    one.serveRegistry("one.sock", gpus());
    awaitCounts(GPU, "1/1");

    plugin.endStreams();
    awaitCounts(GPU, "1/0");
    kubelet.plugin("nic.sock").list("n");
    two.serveRegistry(
        "two.sock",
        info(NIC.toString(), kubelet.directory().resolve("nic.sock").toString(), "v1beta1"));
    awaitCounts(NIC, "1/1");

    assertThat(kubelet.counts(GPU)).as("after some passes more").isEqualTo("1/0");
    assertThat(kubelet.manager().watchedPlugins().actual()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vendor.example/gpu | v1beta2 v1 | plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions [v1beta2 v1]",
        "vendor.example/gpu | v1beta11   | plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions [v1beta11]",
        "gpu                | v1beta1    | plugin validation failed with err: invalid name of device plugin socket: the ResourceName \"gpu\" is invalid",
        "gpu                | v1         | plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions [v1]",
      })
  void aPluginIsToldWhyItIsNotTaken(String name, String versions, String why)
      throws InvalidProtocolBufferException {
    one.serveRegistry("one.sock", info(name, "/tmp/none.sock", versions.strip().split(" ", -1)));

    awaitPasses(() -> !one.statuses.isEmpty());

    RegistrationStatus told = RegistrationStatus.parseFrom(one.statuses.getFirst());
    assertThat(told.getPluginRegistered()).isFalse();
    assertThat(told.getError()).isEqualTo("RegisterPlugin error -- " + why);
  }

  /// Two sockets that name the same plugin are two registrations of it.
  @Test
  void whenBothSocketsOfAPluginAreGoneNobodyServesIt() {
    kubelet.plugin("gpu.sock").list("a");
    one.serveRegistry("one.sock", gpus());
    awaitCounts(GPU, "1/1");
    two.serveRegistry("two.sock", gpus());
    awaitPasses(() -> !two.statuses.isEmpty());

    one.close();
    awaitPasses(() -> kubelet.manager().watchedPlugins().actual().size() == 1);
    assertThat(kubelet.counts(GPU)).as("the other is there").isEqualTo("1/1");
    two.close();

    awaitCounts(GPU, "1/0");
  }

  private void awaitCounts(ResourceName resource, String counts) {
    awaitPasses(() -> kubelet.counts(resource).equals(counts));
  }

  /// The time between two passes goes by as long as it is not so.
  private void awaitPasses(BooleanSupplier condition) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> {
          kubelet.clock.advance(BETWEEN_PASSES);
          return condition.getAsBoolean();
        });
  }
}
