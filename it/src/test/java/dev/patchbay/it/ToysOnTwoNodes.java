package dev.patchbay.it;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;

/// Devices of a plugin that lie on two NUMA nodes: `t0` on 0, `t1` and `t2` on 1.
final class ToysOnTwoNodes {
  private ToysOnTwoNodes() {}

  static ListAndWatchResponse list() {
    return ListAndWatchResponse.newBuilder()
        .addDevices(onNode("t0", 0))
        .addDevices(onNode("t1", 1))
        .addDevices(onNode("t2", 1))
        .build();
  }

  private static Device onNode(String id, int node) {
    return Device.newBuilder()
        .setID(id)
        .setHealth("Healthy")
        .setTopology(TopologyInfo.newBuilder().addNodes(NUMANode.newBuilder().setID(node)))
        .build();
  }
}
