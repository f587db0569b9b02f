package dev.patchbay.kubelet.wire;

import dev.patchbay.model.Device;
import java.util.List;

/// A list's devices, and what was wrong with it.
///
/// @param devices by id, each once
/// @param problems devices that were left out or counted once, in words; of many, the first few and
///   how many more there are
public record ListedDevices(List<Device> devices, List<String> problems) {
  public ListedDevices {
    devices = List.copyOf(devices);
    problems = List.copyOf(problems);
  }
}
