package dev.patchbay.sdk.wire;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;

/// The messages that a plugin sends.
public final class Messages {
  /// The version of the device plugin API that is spoken here.
  public static final String API_VERSION = "v1beta1";

  private Messages() {}

  /// The full list, in the order of the ids.
  public static ListAndWatchResponse list(DeviceList devices) {
    var message = ListAndWatchResponse.newBuilder();
    devices.forEach(device -> message.addDevices(device(device)));
    return message.build();
  }

  private static Device device(dev.patchbay.model.Device device) {
    var message =
        Device.newBuilder()
            .setID(device.id().value())
            .setHealth(
                switch (device.health()) {
                  case Health.Healthy _ -> "Healthy";
                  case Health.Unhealthy _ -> "Unhealthy";
                });
    // A topology without nodes means something else to the kubelet than no topology.
    if (!device.numaNodes().isEmpty()) {
      var topology = TopologyInfo.newBuilder();
      device.numaNodes().forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
      message.setTopology(topology);
    }
    return message.build();
  }

  /// The answer to Allocate for one container.
  public static ContainerAllocateResponse edits(ContainerEdits edits) {
    var message =
        ContainerAllocateResponse.newBuilder()
            .putAllEnvs(edits.env())
            .putAllAnnotations(edits.annotations());
    edits
        .deviceNodes()
        .forEach(node ->
            message.addDevices(
                DeviceSpec.newBuilder()
                    .setHostPath(node.hostPath())
                    .setContainerPath(node.containerPath())
                    .setPermissions(node.permissions())));
    edits
        .mounts()
        .forEach(mount ->
            message.addMounts(
                Mount.newBuilder()
                    .setHostPath(mount.hostPath())
                    .setContainerPath(mount.containerPath())
                    .setReadOnly(mount.readOnly())));
    edits.cdiDevices().forEach(name -> message.addCdiDevices(CDIDevice.newBuilder().setName(name)));
    return message.build();
  }

  /// The plugin's optional abilities.
  public static DevicePluginOptions options(boolean preStart, boolean preferredAllocation) {
    return DevicePluginOptions.newBuilder()
        .setPreStartRequired(preStart)
        .setGetPreferredAllocationAvailable(preferredAllocation)
        .build();
  }

  /// The registration of a resource whose plugin listens on the socket with this file name.
  public static RegisterRequest registration(
      ResourceName resource, String endpoint, DevicePluginOptions options) {
    return RegisterRequest.newBuilder()
        .setVersion(API_VERSION)
        .setResourceName(resource.toString())
        .setEndpoint(endpoint)
        .setOptions(options)
        .build();
  }
}
