package dev.patchbay.kubelet.wire;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Messages of plugins, and what is made of them.
public final class Messages {
  private Messages() {}

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
