package dev.patchbay.it;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.sdk.PluginHostConfig.Way;
import dev.patchbay.sdk.PreStart;
import dev.patchbay.sdk.PreferredAllocation;
import dev.patchbay.testkit.PluginUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Two plugins as an author would write them, in one host that is in a hurry.
final class TwoResources implements PluginUnderTest, PluginUnderTest.HealthSwitch {
  private static final ResourceName NIC = ResourceName.of("vendor.example/nic");
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");

  private final DeviceFeed nics =
      DeviceFeed.of(Device.healthy("nic-0"), Device.healthy("nic-1"), Device.healthy("nic-2"));
  private final DeviceFeed gpus = DeviceFeed.of(Device.healthy("gpu-0"));
  private final PluginHost host;

  private TwoResources(PluginHost host) {
    this.host = host;
  }

  static TwoResources start(Path kubeletDir) {
    var plugins = new TwoResources(PluginHost.start(inAHurry(kubeletDir)));
    plugins.host.serve(NIC, new Nics(plugins.nics));
    plugins.host.serve(GPU, new Gpus(plugins.gpus));
    return plugins;
  }

  private static PluginHostConfig inAHurry(Path kubeletDir) {
    return new PluginHostConfig(
        kubeletDir,
        Set.of(Way.KUBELET_SOCK),
        Duration.ofMillis(800),
        Duration.ofMillis(800),
        Duration.ofMillis(20),
        Duration.ofMillis(500),
        Duration.ofSeconds(30));
  }

  /// What they serve at their start.
  static SequencedMap<String, SortedSet<String>> devicesAtStart() {
    SequencedMap<String, SortedSet<String>> devices = new LinkedHashMap<>();
    devices.put(NIC.toString(), new TreeSet<>(Set.of("nic-0", "nic-1", "nic-2")));
    devices.put(GPU.toString(), new TreeSet<>(Set.of("gpu-0")));
    return devices;
  }

  @Override
  public SequencedMap<String, SortedSet<String>> devices() {
    return devicesAtStart();
  }

  @Override
  public Optional<HealthSwitch> healthSwitch() {
    return Optional.of(this);
  }

  @Override
  public void makeUnhealthy(String id) {
    change(id, Health.unhealthy("the test says so"));
  }

  @Override
  public void makeHealthy(String id) {
    change(id, Health.healthy());
  }

  private void change(String id, Health health) {
    DeviceList before = nics.latest().orElseThrow().list();
    nics.publish(
        DeviceList.copyOf(
            before.devices().stream()
                .map(device -> device.id().value().equals(id) ? device.with(health) : device)
                .toList()));
  }

  @Override
  public void close() {
    host.close();
  }

  private record Nics(DeviceFeed devices) implements DevicePlugin {
    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return ContainerEdits.ofNode("/dev/" + ids.getFirst(), "rw");
    }
  }

  private record Gpus(DeviceFeed devices) implements DevicePlugin, PreferredAllocation, PreStart {
    @Override
    public ContainerEdits allocate(List<DeviceId> ids) {
      return ContainerEdits.ofEnv("GPUS", ids.toString());
    }

    @Override
    public List<DeviceId> prefer(List<DeviceId> available, Set<DeviceId> mustInclude, int size) {
      return available.subList(0, size);
    }

    @Override
    public void preStart(List<DeviceId> ids) {}
  }
}
