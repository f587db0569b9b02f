package dev.patchbay.drivers.devicenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.NodeResource;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DeviceNodeConfigTest {
  private static final Group KVM = group(1, List.of(PathSpec.of("/dev/kvm")), List.of());
  private static final UsbSpec KEY = new UsbSpec(0x1050, 0x0407, "");

  @ParameterizedTest(name = "{0} of /dev/snd/timer is {1}")
  @CsvSource({
    "'', /dev/snd/timer",
    "/dev/sound/, /dev/sound/timer",
    "/dev/clock, /dev/clock",
    "/, /timer",
  })
  void aMountPathIsAPlaceOrADirectory(String mountPath, String inContainer) {
    assertThat(path("/dev/snd/*", mountPath, "rw", 1).containerPath("/dev/snd/timer"))
        .isEqualTo(inContainer);
  }

  @Test
  void refusesPathsThatCannotBe() {
    assertRefused(() -> PathSpec.of("dev/kvm"), "path \"dev/kvm\" is not absolute");
    assertRefused(() -> path("/dev/kvm", "kvm", "rw", 1), "mount-path \"kvm\" is not absolute");
    assertRefused(
        () -> PathSpec.of("/dev/tty[0-9"), "pattern \"tty[0-9\" has a \"[\" without its \"]\"");
    assertRefused(() -> PathSpec.of("/dev/a\u0000b"), "path \"/dev/a?b\" has a control character");
    assertRefused(
        () -> path("/dev/kvm", "/dev/\n", "rw", 1),
        "mount-path \"/dev/?\" has a control character");
  }

  @Test
  void refusesPermissionsAndNumbersThatCannotBe() {
    assertRefused(
        () -> path("/dev/kvm", "", "rx", 1), "permissions are \"rx\"; needed are some of r, w, m");
    assertRefused(
        () -> path("/dev/kvm", "", "", 1), "permissions are \"\"; needed are some of r, w, m");
    assertRefused(() -> path("/dev/kvm", "", "rw", 0), "limit is 0; at least 1 is needed");
    assertRefused(() -> group(0, KVM.paths(), List.of()), "count is 0; needed is 1 to 10000");
    assertRefused(
        () -> group(10_001, KVM.paths(), List.of()), "count is 10001; needed is 1 to 10000");
    assertRefused(() -> new UsbSpec(0x10000, 1, ""), "vendor and product have 16 bits");
    assertRefused(() -> new UsbSpec(1, -1, ""), "vendor and product have 16 bits");
  }

  @Test
  void aGroupHasEitherPathsOrUsbDevices() {
    String why = "a group has either paths or usb, and at least one of them";
    assertRefused(() -> group(1, List.of(), List.of()), why);
    assertRefused(() -> group(1, KVM.paths(), List.of(KEY)), why);
    assertThat(group(1, List.of(), List.of(KEY)).usb()).containsExactly(KEY);
  }

  @Test
  void refusesResourcesThatCannotBe() {
    assertRefused(() -> new NodeResource("kvm", List.of()), "resource kvm has no groups");
    assertRefused(
        () -> config("vendor.example", "Kvm!"),
        "resource name \"vendor.example/Kvm!\" has the name part \"Kvm!\"; needed are letters,"
            + " digits, '-', '_', '.', beginning and ending with a letter or digit");
    assertRefused(
        () -> config("kubernetes.io", "kvm"),
        "resource name \"kubernetes.io/kvm\" is in a domain reserved for Kubernetes");
  }

  @Test
  void refusesTwoResourcesOfOneName() {
    assertRefused(
        () -> config("vendor.example", "kvm", "tun", "kvm"),
        "resource vendor.example/kvm is there twice; needed is one with all its groups");
  }

  private static void assertRefused(ThrowingCallable made, String why) {
    assertThatIllegalArgumentException().isThrownBy(made).withMessage(why);
  }

  private static DeviceNodeConfig config(String domain, String... names) {
    List<NodeResource> resources =
        List.of(names).stream().map(name -> new NodeResource(name, List.of(KVM))).toList();
    return new DeviceNodeConfig(domain, IdScheme.STABLE, resources);
  }

  private static Group group(int count, List<PathSpec> paths, List<UsbSpec> usb) {
    return new Group(count, paths, usb, HealthCheck.EXISTS);
  }

  private static PathSpec path(String path, String mountPath, String permissions, int limit) {
    return new PathSpec(path, mountPath, PathType.DEVICE, permissions, false, limit, false);
  }
}
