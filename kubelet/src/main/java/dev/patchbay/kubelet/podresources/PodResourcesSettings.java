package dev.patchbay.kubelet.podresources;

import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.Quirk;
import java.util.EnumSet;
import java.util.Set;

/// How PodResources is served.
///
/// @param gates those that are on
/// @param callsPerSecond how many calls pass, of all methods and clients together
/// @param burst how many of them may come at once
/// @param repeatsCdiDevices whether a device of a claim shows the CDI devices of those before it
///   too, which is a defect of upstream's
public record PodResourcesSettings(
    Set<Gate> gates, int callsPerSecond, int burst, boolean repeatsCdiDevices) {
  /// As a kubelet without further settings.
  public static final PodResourcesSettings DEFAULTS =
      new PodResourcesSettings(EnumSet.allOf(Gate.class), 100, 10, false);

  /// A feature gate, all of which are on in a kubelet of today.
  public enum Gate {
    /// Whether it is served at all.
    KUBELET_POD_RESOURCES("KubeletPodResources"),
    /// Whether Get answers.
    KUBELET_POD_RESOURCES_GET("KubeletPodResourcesGet"),
    /// Whether GetAllocatableResources answers.
    KUBELET_POD_RESOURCES_GET_ALLOCATABLE("KubeletPodResourcesGetAllocatable"),
    /// Whether claims of dynamic resources are shown.
    KUBELET_POD_RESOURCES_DYNAMIC_RESOURCES("KubeletPodResourcesDynamicResources"),
    /// Whether List leaves ended pods out.
    KUBELET_POD_RESOURCES_LIST_USE_ACTIVE_PODS("KubeletPodResourcesListUseActivePods");

    private final String text;

    Gate(String text) {
      this.text = text;
    }

    /// Its name as in `featureGates` of a kubelet's configuration.
    public String text() {
      return text;
    }
  }

  public PodResourcesSettings {
    gates = Set.copyOf(gates);
    if (callsPerSecond < 1)
      throw new IllegalArgumentException("callsPerSecond is under 1: " + callsPerSecond);
    if (burst < 1) throw new IllegalArgumentException("burst is under 1: " + burst);
  }

  /// As these settings of the kubelet want it.
  public static PodResourcesSettings of(KubeletSettings kubelet) {
    PodResourcesSettings settings =
        DEFAULTS.withRepeatedCdiDevices(kubelet.has(Quirk.POD_RESOURCES_REPEATS_CDI_DEVICES));
    for (Gate gate : Gate.values())
      settings = settings.with(gate, kubelet.featureGates().getOrDefault(gate.text(), true));
    return settings;
  }

  /// Whether a gate is on.
  public boolean has(Gate gate) {
    return gates.contains(gate);
  }

  /// The same with this gate on or off.
  public PodResourcesSettings with(Gate gate, boolean on) {
    EnumSet<Gate> changed = EnumSet.noneOf(Gate.class);
    changed.addAll(gates);
    if (on) changed.add(gate);
    else changed.remove(gate);
    return new PodResourcesSettings(changed, callsPerSecond, burst, repeatsCdiDevices);
  }

  /// The same with another limit.
  public PodResourcesSettings withLimit(int perSecond, int atOnce) {
    return new PodResourcesSettings(gates, perSecond, atOnce, repeatsCdiDevices);
  }

  /// The same with or without upstream's repeated CDI devices.
  public PodResourcesSettings withRepeatedCdiDevices(boolean repeats) {
    return new PodResourcesSettings(gates, callsPerSecond, burst, repeats);
  }
}
