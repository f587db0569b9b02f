package dev.patchbay.interop.differential;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;
import java.util.List;

/// A device in a plugin's list.
///
/// @param nodes NUMA nodes, possibly some that the machine does not have
record PlannedDevice(String id, boolean healthy, List<Integer> nodes) {
  PlannedDevice withHealth(boolean newHealthy) {
    return new PlannedDevice(id, newHealthy, nodes);
  }

  Device message() {
    var device = Device.newBuilder().setID(id).setHealth(healthy ? "Healthy" : "Unhealthy");
    if (!nodes.isEmpty()) {
      var topology = TopologyInfo.newBuilder();
      nodes.forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
      device.setTopology(topology);
    }
    return device.build();
  }
}
