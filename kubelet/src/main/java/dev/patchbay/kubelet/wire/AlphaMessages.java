package dev.patchbay.kubelet.wire;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.Mount;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpecsResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.util.List;

/// Messages of plugins written for Kubernetes 1.8 and 1.9, read as what they would be in `v1beta1`.
public final class AlphaMessages {
  private AlphaMessages() {}

  /// What a plugin of 1.9 wants a container to have; see [Messages#edits].
  public static ContainerEdits edits(AllocateResponse message) throws IOException {
    var answer =
        ContainerAllocateResponse.newBuilder()
            .putAllEnvs(message.getEnvsMap())
            .putAllAnnotations(message.getAnnotationsMap());
    return edits(answer, message.getDevicesList(), message.getMountsList());
  }

  /// What a plugin of 1.8 wants a container to have: all its specifications together, of which an
  /// earlier one wins.
  public static ContainerEdits edits(RuntimeSpecsResponse message) throws IOException {
    ContainerEdits all = ContainerEdits.NONE;
    for (RuntimeSpec spec : message.getSpecList()) {
      var answer = ContainerAllocateResponse.newBuilder().putAllEnvs(spec.getEnvsMap());
      all = all.and(edits(answer, spec.getDevicesList(), spec.getMountsList()));
    }
    return all;
  }

  private static ContainerEdits edits(
      ContainerAllocateResponse.Builder answer, List<DeviceSpec> devices, List<Mount> mounts)
      throws IOException {
    for (DeviceSpec each : devices)
      answer.addDevices(
          dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec.newBuilder()
              .setHostPath(each.getHostPath())
              .setContainerPath(each.getContainerPath())
              .setPermissions(each.getPermissions()));
    for (Mount each : mounts)
      answer.addMounts(
          dev.patchbay.proto.deviceplugin.v1beta1.Mount.newBuilder()
              .setHostPath(each.getHostPath())
              .setContainerPath(each.getContainerPath())
              .setReadOnly(each.getReadOnly()));
    return Messages.edits(answer.build());
  }
}
