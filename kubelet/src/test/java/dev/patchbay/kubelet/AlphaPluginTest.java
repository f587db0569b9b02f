package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.registration.PluginApi;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ContainerEdits.Mount;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Plugins that were written for Kubernetes 1.8 and 1.9.
final class AlphaPluginTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @ParameterizedTest
  @ValueSource(strings = {"0.1", "v1alpha2"})
  void itsHealthyDevicesAreCountedAndGiven(String version) throws Exception {
    try (var plugin =
        AlphaPlugin.serve(kubelet.directory(), version, "a=Healthy", "b=Unhealthy", "c=Healthy")) {
      assertThat(plugin.register(GPU.toString())).isEmpty();
      kubelet.awaitAllocatable(GPU, 2);
      assertThat(kubelet.counts(GPU)).isEqualTo("3/2");

      kubelet.admit(pod("pod", 2));

      assertThat(plugin.calls()).containsExactly("ListAndWatch", "Allocate [a, c]");
      ContainerEdits edits = kubelet.manager().runOptions(pod("pod", 2), "main").orElseThrow();
      assertThat(edits.env()).containsEntry("DEVICE_a", "a").containsEntry("DEVICE_c", "c");
      assertThat(edits.deviceNodes())
          .containsExactly(
              new DeviceNode("/dev/a", "/dev/a", "rw"), new DeviceNode("/dev/c", "/dev/c", "rw"));
      assertThat(edits.mounts()).containsExactly(new Mount("/opt/lib", "/lib/x", true));
      if (version.equals("v1alpha2")) assertThat(edits.annotations()).containsEntry("note", "yes");
    }
    kubelet.awaitAllocatable(GPU, 0);
  }

  @Test
  void anotherVersionIsRefusedWithThoseThatAreAccepted() throws Exception {
    try (var plugin = AlphaPlugin.serve(kubelet.directory(), "v1beta1", "a=Healthy")) {
      assertThat(plugin.register(GPU.toString()))
          .contains(
              "UNKNOWN: requested API version \"v1beta1\" is not supported by kubelet. Supported version is [\"v1alpha2\" \"0.1\"]");
      assertThat(plugin.register("gpu"))
          .as("the version is looked at first")
          .hasValueSatisfying(text -> assertThat(text).contains("requested API version"));
    }
  }

  @Test
  void aWrongNameIsRefused() throws Exception {
    try (var plugin = AlphaPlugin.serve(kubelet.directory(), "0.1", "a=Healthy")) {
      assertThat(plugin.register("gpu")).contains("UNKNOWN: the ResourceName \"gpu\" is invalid");
    }
  }

  @Test
  void nobodyServesThemWhereOnlyV1beta1IsAccepted(@TempDir Path root) throws Exception {
    Path directory = root.resolve("device-plugins");
    var settings = KubeletSettings.of(directory).withPluginApis(EnumSet.of(PluginApi.V1BETA1));
    try (var other = new Kubelet(settings, InstantSource.system())) {
      other.start(Set.of());
      try (var plugin = AlphaPlugin.serve(directory, "v1alpha2", "a=Healthy")) {
        assertThat(plugin.register(GPU.toString()))
            .hasValueSatisfying(text -> assertThat(text).startsWith("UNIMPLEMENTED"));
      }
    }
  }
}
