package dev.patchbay.drivers.kubevirt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.patchbay.drivers.DeviceHistory;
import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.LiveMachine;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KubevirtDriverTest {
  static final String MACHINE =
      """
      # tree 1; composed: a machine for virtual machines; kernel 6.8.0
      node  dev/kvm c 10:232 0660
      node  dev/net/tun c 10:200 0666
      node  dev/vhost-net c 10:238 0660
      node  dev/vhost-vsock c 10:241 0660
      node  dev/fuse c 10:229 0666
      """;
  private static final ResourceName KVM = ResourceName.of("devices.kubevirt.io/kvm");

  @TempDir private Path root = Path.of("/nonexistent");

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    "devices.kubevirt.io/kvm, /dev/kvm, kvm",
    "devices.kubevirt.io/tun, /dev/net/tun, tun",
    "devices.kubevirt.io/vhost-net, /dev/vhost-net, vhost-net",
    "devices.kubevirt.io/vhost-vsock, /dev/vhost-vsock, vhost-vsock",
    "devices.kubevirt.io/fuse, /dev/fuse, fuse",
  })
  void offersEachNodeAThousandTimesAsKubeVirtDoes(String resource, String path, String id) {
    List<OfferedDevice> devices = devices(scan(MACHINE), ResourceName.of(resource));
    assertThat(devices).hasSize(1000);
    assertThat(ids(devices)).contains(id + "0", id + "1", id + "999").doesNotHaveDuplicates();
    assertThat(devices)
        .allSatisfy(device -> {
          assertThat(device.device().health().isHealthy()).isTrue();
          assertThat(device.device().numaNodes()).isEmpty();
          assertThat(device.paths()).containsExactly(path);
          assertThat(device.edits()).isEqualTo(ContainerEdits.ofNode(path, "rw"));
        });
  }

  @Test
  void offersNothingElse() {
    Scan scan = scan(MACHINE + "node  dev/sev c 10:122 0600\n");
    assertThat(scan.resources()).hasSize(5);
    assertThat(scan.problems()).isEmpty();
    assertThat(scan.notOffered()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 110, 10_000})
  void offersEachNodeAsOftenAsItIsTold(int maxDevices) {
    var config = new KubevirtConfig(maxDevices, EnumSet.of(Preset.KVM), HealthCheck.EXISTS);
    List<OfferedDevice> devices = devices(scan(MACHINE, config), KVM);
    assertThat(ids(devices))
        .hasSize(maxDevices)
        .doesNotHaveDuplicates()
        .contains("kvm0", "kvm" + (maxDevices - 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 10_001})
  void refusesACountThatCannotBe(int maxDevices) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KubevirtConfig(maxDevices, Set.of(), HealthCheck.EXISTS))
        .withMessage("max-devices is " + maxDevices + "; needed is 1 to 10000");
  }

  @Test
  void offersThePresetsAlone() {
    Scan scan = scan(MACHINE, config(HealthCheck.EXISTS, Preset.TUN, Preset.FUSE));
    assertThat(scan.resources().keySet())
        .extracting(ResourceName::name)
        .containsExactlyInAnyOrder("tun", "fuse");
    assertThat(scan.notOffered()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Preset.class)
  void oneMissingNodeCostsItsResourceAlone(Preset missing) {
    String machine =
        String.join(
            "\n",
            MACHINE.lines().filter(line -> !line.contains(missing.path().substring(1))).toList());
    Scan scan = scan(machine);
    assertThat(scan.resources())
        .hasSize(4)
        .doesNotContainKey(new ResourceName("devices.kubevirt.io", missing.text()));
    assertThat(scan.notOffered())
        .containsExactly(
            new Scan.NotOffered(
                missing.path(),
                "does not exist; devices.kubevirt.io/" + missing.text() + " is not offered"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          file  dev/kvm            | /dev/kvm is a regular file; needed is a device node
          dir   dev/kvm            | /dev/kvm is a directory; needed is a device node
          link  dev/kvm -> nowhere | /dev/kvm is a link that leads nowhere
          link  dev/kvm -> kvm     | /dev/kvm is a link that leads nowhere
          link  dev/kvm -> /dev    | /dev/kvm is a directory; needed is a device node
          """)
  void whatIsNoDeviceNodeIsUnhealthy(String entry, String why) {
    assertThat(health(scan("# tree 1; x\n" + entry))).containsExactly(Health.unhealthy(why));
  }

  @ParameterizedTest(name = "{0} when looked at with {1}: {2}")
  @CsvSource({
    "'', OPEN, healthy",
    "EBUSY, OPEN, healthy",
    "EPERM, OPEN, healthy",
    "EACCES, OPEN, healthy",
    "ENODEV, OPEN, unhealthy: /dev/kvm cannot be opened: ENODEV",
    "EIO, OPEN, unhealthy: /dev/kvm cannot be opened: EIO",
    "ENODEV, EXISTS, healthy",
  })
  void triesToOpenTheNodeOnlyWhenToldTo(String openError, HealthCheck check, String health) {
    String machine = "# tree 1; x\nnode dev/kvm c 10:232 0600 " + openError;
    assertThat(health(scan(machine.strip(), config(check, Preset.KVM))))
        .extracting(Health::toString)
        .containsExactly(health);
  }

  @Test
  void givesTheRealNodeOfALinkUnderTheNameOfTheLink() {
    Scan scan = scan("# tree 1; x\nlink dev/kvm -> misc/kvm\nnode dev/misc/kvm c 10:232 0600");
    assertThat(devices(scan, KVM).getFirst().edits().deviceNodes())
        .containsExactly(new ContainerEdits.DeviceNode("/dev/misc/kvm", "/dev/kvm", "rw"));
  }

  @Test
  void givesAContainerTheNodeOnceHoweverManyDevicesItAskedFor() {
    var driver = driver(HostRoot.ofArchive("machine", MACHINE), KubevirtConfig.DEFAULTS);
    List<OfferedDevice> three = devices(driver.scan(), KVM).subList(0, 3);
    assertThat(driver.edits(KVM, three)).isEqualTo(ContainerEdits.ofNode("/dev/kvm", "rw"));
  }

  @Test
  void aNodeThatGoesIsUnhealthyForAWhileAndWellAgainWhenItIsBack() throws IOException {
    HostRoot host = LiveMachine.unpack(root, MACHINE);
    var driver = driver(host, KubevirtConfig.DEFAULTS);
    Instant now = Instant.parse("2026-02-11T10:00:00Z");
    DeviceHistory there = DeviceHistory.EMPTY.after(driver.scan(), now, Patience.USUAL);
    assertThat(health(there)).hasSize(1000).containsOnly(Health.healthy());

    Files.delete(root.resolve("dev/kvm"));
    DeviceHistory gone = there.after(driver.scan(), now.plusSeconds(60), Patience.USUAL);
    assertThat(health(gone)).hasSize(1000).containsOnly(Health.unhealthy("/dev/kvm is gone"));

    LiveMachine.makeNode(root.resolve("dev/kvm"), 10, 232);
    DeviceHistory back = gone.after(driver.scan(), now.plusSeconds(120), Patience.USUAL);
    assertThat(back.offered()).isEqualTo(there.offered());

    Files.delete(root.resolve("dev/kvm"));
    DeviceHistory goneForGood =
        back.after(driver.scan(), now.plusSeconds(180), Patience.USUAL)
            .after(driver.scan(), now.plusSeconds(1000), Patience.USUAL);
    assertThat(goneForGood.offered()).doesNotContainKey(KVM).hasSize(4);
  }

  @Test
  void watchesTheDirectoriesOfItsNodesEvenBeforeTheyExist() throws IOException {
    var driver = driver(HostRoot.of(root), KubevirtConfig.DEFAULTS);
    assertThat(driver.watchedDirectories())
        .containsExactlyInAnyOrder(root.resolve("dev"), root.resolve("dev/net"));
  }

  private static KubevirtDriver driver(HostRoot host, KubevirtConfig config) {
    return new KubevirtDriver(host, config);
  }

  private static KubevirtConfig config(HealthCheck check, Preset... presets) {
    return new KubevirtConfig(1000, Set.copyOf(Arrays.asList(presets)), check);
  }

  private static Scan scan(String machine) {
    return scan(machine, KubevirtConfig.DEFAULTS);
  }

  private static Scan scan(String machine, KubevirtConfig config) {
    return driver(HostRoot.ofArchive("machine", machine), config).scan();
  }

  private static List<OfferedDevice> devices(Scan scan, ResourceName resource) {
    return scan.resources().getOrDefault(resource, List.of());
  }

  private static List<String> ids(List<OfferedDevice> devices) {
    return devices.stream().map(each -> each.device().id().value()).toList();
  }

  /// The different healths of all devices of `/dev/kvm`.
  private static Set<Health> health(Scan scan) {
    assertThat(devices(scan, KVM)).hasSize(1000);
    return Set.copyOf(devices(scan, KVM).stream().map(each -> each.device().health()).toList());
  }

  private static List<Health> health(DeviceHistory history) {
    return history.offered().getOrDefault(KVM, List.of()).stream()
        .map(each -> each.device().health())
        .toList();
  }
}
