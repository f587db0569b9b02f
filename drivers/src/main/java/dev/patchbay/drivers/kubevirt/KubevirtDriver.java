package dev.patchbay.drivers.kubevirt;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.NodeHealth;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Offers `/dev/kvm` and its kin to many pods at once.
public final class KubevirtDriver implements Driver {
  private static final String DOMAIN = "devices.kubevirt.io";
  private static final String PERMISSIONS = "rw";

  private final HostRoot host;
  private final KubevirtConfig config;

  public KubevirtDriver(HostRoot host, KubevirtConfig config) {
    this.host = host;
    this.config = config;
  }

  @Override
  public String name() {
    return "kubevirt";
  }

  @Override
  public Scan scan() {
    SequencedMap<ResourceName, List<OfferedDevice>> resources = new LinkedHashMap<>();
    List<Scan.NotOffered> notOffered = new ArrayList<>();
    for (Preset preset : new TreeSet<>(config.presets())) {
      if (host.lstat(preset.path()).isEmpty())
        notOffered.add(
            new Scan.NotOffered(
                preset.path(),
                "does not exist; " + DOMAIN + "/" + preset.text() + " is not offered"));
      else resources.put(new ResourceName(DOMAIN, preset.text()), devices(preset));
    }
    return new Scan(resources, notOffered, List.of());
  }

  private List<OfferedDevice> devices(Preset preset) {
    Health health = NodeHealth.of(host, preset.path(), config.healthCheck());
    ContainerEdits edits = edits(preset);
    return IntStream.range(0, config.maxDevices())
        .mapToObj(index -> new Device(DeviceId.of(preset.text() + index), health, new TreeSet<>()))
        .sorted()
        .map(device -> new OfferedDevice(device, List.of(preset.path()), edits))
        .toList();
  }

  private ContainerEdits edits(Preset preset) {
    String hostPath = host.resolve(preset.path()).orElse(preset.path());
    return ContainerEdits.NONE.and(
        new ContainerEdits.DeviceNode(hostPath, preset.path(), PERMISSIONS));
  }

  @Override
  public Set<Path> watchedDirectories() {
    return config.presets().stream()
        .map(preset -> preset.path().substring(0, preset.path().lastIndexOf('/')))
        .flatMap(directory -> Stream.concat(Stream.of("/dev"), Stream.of(directory)))
        .flatMap(directory -> host.livePath(directory).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public ContainerEdits edits(ResourceName resource, List<OfferedDevice> granted) {
    return granted.getFirst().edits();
  }
}
