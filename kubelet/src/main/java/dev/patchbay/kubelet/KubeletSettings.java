package dev.patchbay.kubelet;

import dev.patchbay.kubelet.registration.PluginApi;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Settings of a [Kubelet].
///
/// @param devices of the device manager
/// @param pluginApis versions of the device plugin API that plugins may register with
/// @param topology of the topology manager
/// @param machine the NUMA nodes of the machine
/// @param minor which version of Kubernetes is followed where they differ
/// @param unknownResources what becomes of a pod that asks for what no plugin ever listed
/// @param nodeAllocatable what of the node itself pods can have: `cpu` in thousandths of a core,
///   the others in bytes, `pods` as their number; what is not named is not checked
/// @param featureGates those that were set, by name; the others have upstream's default
/// @param quirks upstream's defects that are imitated
/// @param host how CPUs and memory of the machine are given out
public record KubeletSettings(
    DeviceManagerConfig devices,
    Set<PluginApi> pluginApis,
    TopologySettings topology,
    NumaMachine machine,
    KubernetesMinor minor,
    UnknownResources unknownResources,
    SortedMap<String, Long> nodeAllocatable,
    SortedMap<String, Boolean> featureGates,
    Set<Quirk> quirks,
    HostSettings host) {
  public KubeletSettings {
    nodeAllocatable = Collections.unmodifiableSortedMap(new TreeMap<>(nodeAllocatable));
    featureGates = Collections.unmodifiableSortedMap(new TreeMap<>(featureGates));
    quirks = Set.copyOf(quirks);
    pluginApis = Set.copyOf(pluginApis);
  }

  /// The usual settings for this device plugin directory, which has to be absolute.
  public static KubeletSettings of(Path devicePluginDir) {
    return of(DeviceManagerConfig.of(devicePluginDir));
  }

  /// The usual settings with these of the device manager.
  public static KubeletSettings of(DeviceManagerConfig devices) {
    return new KubeletSettings(
        devices,
        EnumSet.allOf(PluginApi.class),
        TopologySettings.DEFAULTS,
        new NumaMachine(List.of()),
        KubernetesMinor.V1_36,
        UnknownResources.REFUSE,
        Collections.emptySortedMap(),
        Collections.emptySortedMap(),
        Set.of(),
        HostSettings.NONE);
  }

  /// The same with other versions of the device plugin API.
  public KubeletSettings withPluginApis(Set<PluginApi> other) {
    return with(draft -> draft.pluginApis = other);
  }

  /// The same with a topology manager on this machine.
  public KubeletSettings withTopology(TopologySettings manager, NumaMachine nodes) {
    return with(draft -> {
      draft.topology = manager;
      draft.machine = nodes;
    });
  }

  /// The same after another version of Kubernetes.
  public KubeletSettings withMinor(KubernetesMinor other) {
    return with(draft -> draft.minor = other);
  }

  /// The same with another treatment of unknown resources.
  public KubeletSettings withUnknownResources(UnknownResources other) {
    return with(draft -> draft.unknownResources = other);
  }

  /// The same with other resources of the node itself.
  public KubeletSettings withNodeAllocatable(SortedMap<String, Long> other) {
    return with(draft -> draft.nodeAllocatable = other);
  }

  /// The same with other feature gates set.
  public KubeletSettings withFeatureGates(SortedMap<String, Boolean> other) {
    return with(draft -> draft.featureGates = other);
  }

  /// The same with these of upstream's defects.
  public KubeletSettings withQuirks(Set<Quirk> other) {
    return with(draft -> draft.quirks = other);
  }

  /// The same with CPUs and memory of the machine given out so.
  public KubeletSettings withHost(HostSettings other) {
    return with(draft -> draft.host = other);
  }

  /// Whether this feature gate is on.
  public boolean isOn(FeatureGate gate) {
    return gate.isOn(minor, featureGates);
  }

  /// Whether this defect of upstream is imitated.
  public boolean has(Quirk quirk) {
    return quirks.contains(quirk);
  }

  private KubeletSettings with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.settings();
  }

  /// The settings while one of them is changed.
  private static final class Draft {
    private final DeviceManagerConfig devices;
    private Set<PluginApi> pluginApis;
    private TopologySettings topology;
    private NumaMachine machine;
    private KubernetesMinor minor;
    private UnknownResources unknownResources;
    private SortedMap<String, Long> nodeAllocatable;
    private SortedMap<String, Boolean> featureGates;
    private Set<Quirk> quirks;
    private HostSettings host;

    Draft(KubeletSettings from) {
      devices = from.devices;
      pluginApis = from.pluginApis;
      topology = from.topology;
      machine = from.machine;
      minor = from.minor;
      unknownResources = from.unknownResources;
      nodeAllocatable = from.nodeAllocatable;
      featureGates = from.featureGates;
      quirks = from.quirks;
      host = from.host;
    }

    KubeletSettings settings() {
      return new KubeletSettings(
          devices,
          pluginApis,
          topology,
          machine,
          minor,
          unknownResources,
          nodeAllocatable,
          featureGates,
          quirks,
          host);
    }
  }
}
