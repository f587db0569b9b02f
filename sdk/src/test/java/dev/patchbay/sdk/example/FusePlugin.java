package dev.patchbay.sdk.example;

import dev.patchbay.model.*;
import dev.patchbay.sdk.*;
import java.nio.file.Path;
import java.util.List;

/** Offers /dev/fuse to two containers at a time. */
public record FusePlugin(DeviceFeed devices) implements DevicePlugin {
  @Override
  public ContainerEdits allocate(List<DeviceId> ids) {
    return ContainerEdits.ofNode("/dev/fuse", "rw");
  }

  public static void main(String[] args) throws InterruptedException {
    var feed = DeviceFeed.of(Device.healthy("fuse-0"), Device.healthy("fuse-1"));
    try (var host = PluginHost.start(PluginHostConfig.of(Path.of(args[0])))) {
      host.serve(ResourceName.of("example.com/fuse"), new FusePlugin(feed));
      host.awaitShutdown();
    }
  }
}
