package dev.patchbay.kubelet.wire;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// Messages of plugins, and what is made of them.
public final class Messages {
  private Messages() {}

  /// A list's devices, and what was wrong with it.
  ///
  /// @param devices by id, each once
  /// @param problems devices that were left out or counted once, in words; of many, the first few
  ///   and how many more there are
  public record Listed(List<Device> devices, List<String> problems) {
    /// What was listed before anything was.
    public static final Listed NOTHING = new Listed(List.of(), List.of());

    public Listed {
      devices = List.copyOf(devices);
      problems = List.copyOf(problems);
    }
  }

  /// The devices of a list. Of an id that occurs twice the later one counts, once; a device without
  /// a usable id is left out. Any health other than exactly `Healthy` means unhealthy.
  ///
  /// @param earlier the plugin's list before this one: of thousands of devices hardly any changes,
  ///   and those that did not are taken from it where they stand in the same place
  public static Listed devices(ListAndWatchResponse message, Listed earlier) {
    List<Device> devices = new ArrayList<>(message.getDevicesCount());
    var problems = new Problems();
    for (var each : message.getDevicesList()) {
      int place = devices.size();
      if (place < earlier.devices.size() && says(each, earlier.devices.get(place))) {
        devices.add(earlier.devices.get(place));
        continue;
      }
      Optional<String> problem = DeviceId.problemOf(each.getID());
      if (problem.isPresent()) problems.add(() -> "a device is left out: " + problem.get());
      else
        devices.add(
            new Device(DeviceId.of(each.getID()), health(each.getHealth()), nodes(each, problems)));
    }
    List<Device> sorted = sortedOnce(devices, problems);
    return new Listed(sorted, problems.told());
  }

  /// What is wrong with a list. A list can hold two million devices without an id.
  private static final class Problems {
    private static final int MOST = 10;

    private final List<String> first = new ArrayList<>();
    private int more;

    void add(Supplier<String> problem) {
      if (first.size() < MOST) first.add(problem.get());
      else more++;
    }

    List<String> told() {
      List<String> all = new ArrayList<>(first);
      if (more > 0) all.add("and " + more + " more like these");
      return List.copyOf(all);
    }
  }

  /// Whether a message would be read as this device.
  private static boolean says(dev.patchbay.proto.deviceplugin.v1beta1.Device message, Device read) {
    if (!message.getID().equals(read.id().value())) return false;
    if (!health(message.getHealth()).equals(read.health())) return false;
    List<NUMANode> nodes = message.getTopology().getNodesList();
    return switch (nodes.size()) {
      case 0 -> read.numaNodes().isEmpty();
      case 1 -> read.numaNodes().size() == 1 && read.numaNodes().first() == nodes.get(0).getID();
      default -> false; // read again
    };
  }

  private static Health health(String word) {
    return word.equals("Healthy")
        ? Health.healthy()
        : Health.unhealthy("the plugin says \"" + word + "\"");
  }

  private static SortedSet<Integer> nodes(
      dev.patchbay.proto.deviceplugin.v1beta1.Device device, Problems problems) {
    if (device.getTopology().getNodesCount() == 0) return Collections.emptySortedSet();
    SortedSet<Integer> nodes = new TreeSet<>();
    for (NUMANode node : device.getTopology().getNodesList())
      if (node.getID() >= 0 && node.getID() <= Integer.MAX_VALUE) nodes.add((int) node.getID());
      else problems.add(() -> "device " + device.getID() + " names the NUMA node " + node.getID());
    return nodes;
  }

  private static List<Device> sortedOnce(List<Device> devices, Problems problems) {
    if (isAscending(devices)) return devices;
    SortedMap<DeviceId, Device> byId = new TreeMap<>();
    for (Device each : devices)
      if (byId.put(each.id(), each) != null)
        problems.add(() -> "device " + each.id() + " is listed twice; the later one counts");
    return new ArrayList<>(byId.values());
  }

  private static boolean isAscending(List<Device> devices) {
    for (int i = 1; i < devices.size(); i++)
      if (devices.get(i - 1).compareTo(devices.get(i)) >= 0) return false;
    return true;
  }

  /// What a plugin wants a container to have.
  ///
  /// @throws IOException when no container could be started with it, which upstream leaves to the
  ///   runtime to find out
  public static ContainerEdits edits(ContainerAllocateResponse message) throws IOException {
    List<ContainerEdits.DeviceNode> nodes = new ArrayList<>();
    for (DeviceSpec each : message.getDevicesList()) {
      requireAbsolute(each.getHostPath(), "host path of a device");
      requireAbsolute(each.getContainerPath(), "container path of device " + each.getHostPath());
      try {
        nodes.add(
            new ContainerEdits.DeviceNode(
                each.getHostPath(), each.getContainerPath(), each.getPermissions()));
      } catch (IllegalArgumentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
    List<ContainerEdits.Mount> mounts = new ArrayList<>();
    for (Mount each : message.getMountsList()) {
      requireAbsolute(each.getHostPath(), "host path of a mount");
      requireAbsolute(each.getContainerPath(), "container path of mount " + each.getHostPath());
      mounts.add(
          new ContainerEdits.Mount(
              each.getHostPath(), each.getContainerPath(), each.getReadOnly()));
    }
    return new ContainerEdits(
        message.getEnvsMap(),
        nodes,
        mounts,
        message.getAnnotationsMap(),
        message.getCdiDevicesList().stream().map(CDIDevice::getName).toList());
  }

  private static void requireAbsolute(String path, String what) throws IOException {
    if (!path.startsWith("/"))
      throw new IOException("the " + what + " is not absolute: \"" + path + "\"");
  }

  /// The message that says what these edits say; for the checkpoint.
  public static ContainerAllocateResponse message(ContainerEdits edits) {
    var message =
        ContainerAllocateResponse.newBuilder()
            .putAllEnvs(edits.env())
            .putAllAnnotations(edits.annotations());
    for (var node : edits.deviceNodes())
      message.addDevices(
          DeviceSpec.newBuilder()
              .setHostPath(node.hostPath())
              .setContainerPath(node.containerPath())
              .setPermissions(node.permissions()));
    for (var mount : edits.mounts())
      message.addMounts(
          Mount.newBuilder()
              .setHostPath(mount.hostPath())
              .setContainerPath(mount.containerPath())
              .setReadOnly(mount.readOnly()));
    for (String name : edits.cdiDevices())
      message.addCdiDevices(CDIDevice.newBuilder().setName(name));
    return message.build();
  }
}
