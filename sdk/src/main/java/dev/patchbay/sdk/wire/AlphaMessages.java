package dev.patchbay.sdk.wire;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1alpha.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.Device;
import dev.patchbay.proto.deviceplugin.v1alpha.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1alpha.Mount;
import dev.patchbay.proto.deviceplugin.v1alpha.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpec;
import dev.patchbay.proto.deviceplugin.v1alpha.RuntimeSpecsResponse;
import java.util.List;

/// The messages that a plugin sends to a kubelet of 1.8 or 1.9. These know no NUMA nodes, so that
/// they are left out, and no CDI names, and that of 1.8 no annotations: without them a container
/// would start and miss something, so that such an answer cannot be made.
public final class AlphaMessages {
  private AlphaMessages() {}

  /// The full list, in the order of the ids.
  public static ListAndWatchResponse list(DeviceList devices) {
    var message = ListAndWatchResponse.newBuilder();
    devices.forEach(device ->
        message.addDevices(
            Device.newBuilder()
                .setID(device.id().value())
                .setHealth(
                    switch (device.health()) {
                      case Health.Healthy _ -> "Healthy";
                      case Health.Unhealthy _ -> "Unhealthy";
                    })));
    return message.build();
  }

  /// The answer to Allocate for 1.9.
  ///
  /// @throws IllegalArgumentException when the message cannot say what the edits say
  public static AllocateResponse flat(ContainerEdits edits) {
    requireNone("CDI devices", edits.cdiDevices());
    return AllocateResponse.newBuilder()
        .putAllEnvs(edits.env())
        .putAllAnnotations(edits.annotations())
        .addAllDevices(nodes(edits))
        .addAllMounts(mounts(edits))
        .build();
  }

  /// The answer to Allocate for 1.8: one specification.
  ///
  /// @throws IllegalArgumentException when the message cannot say what the edits say
  public static RuntimeSpecsResponse specs(ContainerEdits edits) {
    requireNone("CDI devices", edits.cdiDevices());
    requireNone("annotations", List.copyOf(edits.annotations().keySet()));
    return RuntimeSpecsResponse.newBuilder()
        .addSpec(
            RuntimeSpec.newBuilder()
                .putAllEnvs(edits.env())
                .addAllDevices(nodes(edits))
                .addAllMounts(mounts(edits)))
        .build();
  }

  private static void requireNone(String what, List<String> names) {
    if (!names.isEmpty())
      throw new IllegalArgumentException(
          "the container needs "
              + what
              + " "
              + names
              + ", of which this old kubelet knows nothing");
  }

  private static List<DeviceSpec> nodes(ContainerEdits edits) {
    return edits.deviceNodes().stream()
        .map(node ->
            DeviceSpec.newBuilder()
                .setHostPath(node.hostPath())
                .setContainerPath(node.containerPath())
                .setPermissions(node.permissions())
                .build())
        .toList();
  }

  private static List<Mount> mounts(ContainerEdits edits) {
    return edits.mounts().stream()
        .map(mount ->
            Mount.newBuilder()
                .setHostPath(mount.hostPath())
                .setContainerPath(mount.containerPath())
                .setReadOnly(mount.readOnly())
                .build())
        .toList();
  }

  /// The registration of a resource whose plugin listens on the socket with this file name.
  ///
  /// @param version `v1alpha2` or `0.1`
  public static RegisterRequest registration(
      String version, ResourceName resource, String endpoint) {
    return RegisterRequest.newBuilder()
        .setVersion(version)
        .setResourceName(resource.toString())
        .setEndpoint(endpoint)
        .build();
  }
}
