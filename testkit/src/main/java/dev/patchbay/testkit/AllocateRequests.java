package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import java.util.List;

/// Allocate as the kubelet asks: for one container.
final class AllocateRequests {
  private AllocateRequests() {}

  static AllocateRequest naming(String... ids) {
    return AllocateRequest.newBuilder()
        .addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(List.of(ids)))
        .build();
  }
}
