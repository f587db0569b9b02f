package dev.patchbay.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundleTest {
  private static final BundleSpec SPEC = BundleSpec.of("/patchbay-x", List.of("true"));

  @TempDir Path dir;

  @Test
  void theCgroupDeniesEverythingFirst() throws IOException {
    JsonNode rules = config(SPEC).at("/linux/resources/devices");
    assertThat(rules.get(0).toString()).isEqualTo("{\"allow\":false,\"access\":\"rwm\"}");
    assertThat(rules).hasSize(9);
  }

  @Test
  void aGrantedNodeIsMadeAndAllowedByItsNumber() throws IOException {
    JsonNode config =
        config(
            SPEC.with(
                ContainerEdits.NONE.and(
                    new ContainerEdits.DeviceNode("/dev/null", "/dev/granted", "r")),
                CdiEdits.NONE));

    assertThat(config.at("/linux/devices/0/path").asText()).isEqualTo("/dev/granted");
    assertThat(config.at("/linux/resources/devices/9").toString())
        .isEqualTo("{\"allow\":true,\"type\":\"c\",\"major\":1,\"minor\":3,\"access\":\"r\"}");
  }

  @Test
  void aDirectoryStandsForItsNodes() throws IOException {
    JsonNode devices =
        config(SPEC.with(ContainerEdits.ofNode("/dev", "rw"), CdiEdits.NONE)).at("/linux/devices");
    assertThat(devices.findValuesAsText("path")).contains("/dev/null", "/dev/zero");
  }

  @Test
  void aCdiNodeMayStateItsOwnNumbers() throws IOException {
    CdiEdits cdi =
        new CdiEdits(
            List.of(),
            List.of(
                new CdiEdits.DeviceNode("/dev/x", "/dev/not-here", "b", 7, 300, 0600, "rw", 1, 2)),
            List.of(),
            List.of(),
            List.of(),
            Map.of());
    assertThat(config(SPEC.with(ContainerEdits.NONE, cdi)).at("/linux/devices/0").toString())
        .isEqualTo(
            "{\"path\":\"/dev/x\",\"type\":\"b\",\"major\":7,\"minor\":300,\"fileMode\":384,\"uid\":1,\"gid\":2}");
  }

  @Test
  void aCdiNodeOfAnotherTypeThanTheHostsIsRefused() {
    CdiEdits cdi =
        new CdiEdits(
            List.of(),
            List.of(new CdiEdits.DeviceNode("/dev/x", "/dev/null", "b", -1, -1, -1, "rw", -1, -1)),
            List.of(),
            List.of(),
            List.of(),
            Map.of());
    assertThatThrownBy(() -> config(SPEC.with(ContainerEdits.NONE, cdi)))
        .hasMessage("CDI node /dev/x is to be of type b, /dev/null is of type c");
  }

  @Test
  void aFileIsNoDeviceNode() {
    assertThatThrownBy(
            () -> config(SPEC.with(ContainerEdits.ofNode("/proc/version", "r"), CdiEdits.NONE)))
        .hasMessage("/proc/version is no device node");
  }

  @Test
  void outerMountsComeBeforeInnerOnes() throws IOException {
    ContainerEdits edits =
        ContainerEdits.NONE
            .and(new ContainerEdits.Mount("/a", "/m/inner", false))
            .and(new ContainerEdits.Mount("/b", "/m", true));
    List<String> destinations =
        config(SPEC.with(edits, CdiEdits.NONE)).at("/mounts").findValuesAsText("destination");
    assertThat(destinations).endsWith("/m", "/m/inner");
  }

  @Test
  void deviceNumbersAreUnpackedAsByTheKernel() {
    // makedev(3): low 12 bits of the major at 8, the others at 32; low 8 bits of the minor at 0,
    // the
    // others at 20 (on the 64-bit number: 12 to the left)
    assertThat(HostNode.major(0x0ae8)).isEqualTo(10);
    assertThat(HostNode.minor(0x0ae8)).isEqualTo(232);
    assertThat(HostNode.minor(0x12300045L)).isEqualTo(0x12345);
    assertThat(HostNode.major(0x12345_00000600L)).isEqualTo(0x12006);
  }

  @Test
  void aMissingRuntimeSaysWhatWasLookedFor() {
    assertThat(new RuntimeSearch(List.of(dir), 0).find(Optional.of("crun")))
        .isEqualTo(
            new RuntimeAvailability.Missing(
                "no OCI runtime: crun is not an executable program of the PATH"));
  }

  @Test
  void withoutRootThereIsNoRuntime() {
    assertThat(
            new RuntimeSearch(List.of(Path.of("/bin"), Path.of("/usr/bin")), 1000)
                .find(Optional.of("sh")))
        .isInstanceOfSatisfying(
            RuntimeAvailability.Missing.class,
            missing -> assertThat(missing.why()).startsWith("not root").endsWith("uid is 1000"));
  }

  private static JsonNode config(BundleSpec spec) throws IOException {
    return new ObjectMapper().readTree(Bundle.preview(spec));
  }
}
