package dev.patchbay.drivers.devicenode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig.IdScheme;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DeviceIdsTest {
  /// What generic-device-plugin computes, so that pods which hold its ids keep their devices.
  @ParameterizedTest(name = "copy {0} of {1}")
  @CsvSource({
    "0, /dev/ttyUSB0, 244c4eb967dd5fcfdc3d774106a9b1a20992aa12",
    "0, /dev/fuse, a68db766f638034740111848aafee2d2dcd6b642",
    "9, /dev/fuse, bd6ee27a4355ad16a10fab1ffbeb436b0d07000f",
    "0, /dev/snd/controlC0+/dev/snd/pcmC0D0c, 8e312365c4c43caed695c0e3bad2b52cb3dd6fa4",
    "0, /dev/bus/usb/003/022, eface26afd7952c41e1b3baa744fb543353eedb0",
  })
  void compatIdsAreThoseOfGenericDevicePlugin(int copy, String paths, String id) {
    List<String> all = List.of(paths.split("\\+", -1));
    assertThat(DeviceIds.of(IdScheme.COMPAT, List.of("ignored"), all, copy, 10)).hasToString(id);
  }

  @ParameterizedTest(name = "{0}, copy {1} of {2}: {3}")
  @CsvSource({
    "ttyUSB0, 0, 1, ttyUSB0",
    "fuse, 0, 10, fuse-0",
    "fuse, 9, 10, fuse-9",
    "snd_controlC0+snd_pcmC0D0c, 0, 1, snd_controlC0+snd_pcmC0D0c",
    "snd_controlC0+snd_pcmC0D0c, 1, 2, snd_controlC0+snd_pcmC0D0c-1",
  })
  void stableIdsAreReadable(String names, int copy, int copies, String id) {
    List<String> all = List.of(names.split("\\+", -1));
    assertThat(DeviceIds.of(IdScheme.STABLE, all, List.of("/ignored"), copy, copies))
        .hasToString(id);
  }

  @Test
  void anIdThatWouldBeTooLongIsAHashOfIt() {
    String longest = "x".repeat(63);
    assertThat(stable(longest, 1)).isEqualTo(longest);
    String hashed = stable(longest + "y", 1);
    assertThat(hashed).matches("[0-9a-f]{40}").isNotEqualTo(stable(longest + "z", 1));
    assertThat(stable(longest, 2)).as("the copy's number does not fit").matches("[0-9a-f]{40}");
  }

  private static String stable(String name, int copies) {
    return DeviceIds.of(IdScheme.STABLE, List.of(name), List.of(), 0, copies).value();
  }

  @ParameterizedTest(name = "{0} is called {1}")
  @CsvSource({
    "/dev/kvm, kvm",
    "/dev/snd/pcmC0D0c, snd_pcmC0D0c",
    "/dev/serial/by-id/usb-FTDI_FT232R-if00-port0, serial_by-id_usb-FTDI_FT232R-if00-port0",
    "/etc/asound.conf, etc_asound.conf",
    "/dev/with blank+plus, with-blank-plus",
    "/dev/größe, gr--e",
    "/, root",
  })
  void namesADeviceByItsPath(String path, String name) {
    assertThat(DeviceIds.nameOf(path)).isEqualTo(name);
  }

  @Test
  void noOddCharacterOfASerialNumberGetsIntoAnId() {
    assertThat(DeviceIds.nameOfSerial("A1/b \n\u0007+é:2")).isEqualTo("A1-b-----:2");
  }
}
