package dev.patchbay.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The devices of `/sys/bus/usb/devices` (`Documentation/ABI/stable/sysfs-bus-usb`).
public final class UsbBus {
  private static final String DEVICES = "/sys/bus/usb/devices";

  private UsbBus() {}

  /// One USB device; interfaces and root hubs' interfaces are none.
  ///
  /// @param port where it is plugged in, `1-1.2`: the entry's name, stable over replugs into the
  ///   same port
  /// @param vendor `idVendor`, 16 bits
  /// @param product `idProduct`, 16 bits
  /// @param serial `serial`, if the device has one
  /// @param bus `busnum`, from 1
  /// @param number `devnum`, from 1; another one after each replug
  /// @param directory its directory in `/sys`, without symbolic links
  public record UsbDevice(
      String port,
      int vendor,
      int product,
      Optional<String> serial,
      int bus,
      int number,
      String directory) {
    /// The device node that usbfs makes.
    public String node() {
      return "/dev/bus/usb/%03d/%03d".formatted(bus, number);
    }

    /// `1050:0407`.
    public String idText() {
      return "%04x:%04x".formatted(vendor, product);
    }
  }

  /// All devices in the order of their ports. Entries without the four numbers are left out:
  /// interfaces have none, and a device that is just being unplugged loses them.
  ///
  /// @throws IOException when the directory is there but cannot be read
  public static List<UsbDevice> devices(HostRoot host) throws IOException {
    List<UsbDevice> devices = new ArrayList<>();
    for (String port : host.list(DEVICES)) {
      String entry = DEVICES + "/" + port;
      Optional<Integer> vendor = number(host, entry + "/idVendor", 16);
      Optional<Integer> product = number(host, entry + "/idProduct", 16);
      Optional<Integer> bus = number(host, entry + "/busnum", 10);
      Optional<Integer> number = number(host, entry + "/devnum", 10);
      if (vendor.isEmpty() || product.isEmpty() || bus.isEmpty() || number.isEmpty()) continue;
      Optional<String> serial =
          host.readAttribute(entry + "/serial").value().filter(text -> !text.isBlank());
      devices.add(
          new UsbDevice(
              port,
              vendor.get(),
              product.get(),
              serial,
              bus.get(),
              number.get(),
              host.resolve(entry).orElse(entry)));
    }
    return devices;
  }

  private static Optional<Integer> number(HostRoot host, String path, int radix) {
    return host.readAttribute(path)
        .value()
        .flatMap(text -> {
          try {
            return Optional.of(Integer.parseInt(text.strip(), radix));
          } catch (NumberFormatException e) {
            return Optional.empty();
          }
        });
  }
}
