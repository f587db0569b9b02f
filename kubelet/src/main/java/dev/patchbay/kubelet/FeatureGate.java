package dev.patchbay.kubelet;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// A feature gate of the kubelet that changes something here, and what each version of Kubernetes
/// makes of it. Where their stages come from: `pkg/features/kube_features.go` of each version.
public enum FeatureGate {
  /// Whether options of the static CPU policy that are alpha may be set: `align-by-socket` and
  /// `distribute-cpus-across-cores`.
  CPU_MANAGER_POLICY_ALPHA_OPTIONS("CPUManagerPolicyAlphaOptions", Stage.OFF, Stage.OFF, Stage.OFF),
  /// Whether options of the static CPU policy that are beta may be set:
  /// `distribute-cpus-across-numa`, of 1.35 `prefer-align-cpus-by-uncorecache` too, of 1.34
  /// `strict-cpu-reservation` as well.
  CPU_MANAGER_POLICY_BETA_OPTIONS("CPUManagerPolicyBetaOptions", Stage.ON, Stage.ON, Stage.ON),
  /// Whether the static CPU policy has options.
  CPU_MANAGER_POLICY_OPTIONS(
      "CPUManagerPolicyOptions", Stage.LOCKED_ON, Stage.LOCKED_ON, Stage.LOCKED_ON),
  /// Whether the device manager leaves extended resources alone for which a dynamic resource
  /// stands. In 1.34 it does not know of them.
  DRA_EXTENDED_RESOURCE("DRAExtendedResource", Stage.OFF, Stage.OFF, Stage.ON),
  /// Whether claims of dynamic resources are shown by PodResources.
  KUBELET_POD_RESOURCES_DYNAMIC_RESOURCES(
      "KubeletPodResourcesDynamicResources", Stage.ON, Stage.ON, Stage.LOCKED_ON),
  /// Whether Get of PodResources answers.
  KUBELET_POD_RESOURCES_GET("KubeletPodResourcesGet", Stage.ON, Stage.ON, Stage.LOCKED_ON),
  /// Whether List of PodResources leaves ended pods out.
  KUBELET_POD_RESOURCES_LIST_USE_ACTIVE_PODS(
      "KubeletPodResourcesListUseActivePods", Stage.ON, Stage.ON, Stage.ON),
  /// Whether a pod's status says how its devices are.
  RESOURCE_HEALTH_STATUS("ResourceHealthStatus", Stage.OFF, Stage.OFF, Stage.ON),
  /// Whether options of the topology manager that are beta may be set. Of 1.34 that is
  /// `max-allowable-numa-nodes`, of later versions none.
  TOPOLOGY_MANAGER_POLICY_BETA_OPTIONS(
      "TopologyManagerPolicyBetaOptions", Stage.ON, Stage.ON, Stage.ON),
  /// Whether options of the topology manager that are alpha may be set; there are none.
  TOPOLOGY_MANAGER_POLICY_ALPHA_OPTIONS(
      "TopologyManagerPolicyAlphaOptions", Stage.OFF, Stage.OFF, Stage.OFF),
  /// Whether the topology manager has options.
  TOPOLOGY_MANAGER_POLICY_OPTIONS(
      "TopologyManagerPolicyOptions", Stage.ON, Stage.ON, Stage.LOCKED_ON);

  /// What a version makes of a gate.
  enum Stage {
    /// Off unless it is set.
    OFF,
    /// On unless it is set.
    ON,
    /// On, and cannot be set off.
    LOCKED_ON
  }

  private final String text;
  private final Stage in134;
  private final Stage in135;
  private final Stage in136;

  FeatureGate(String text, Stage in134, Stage in135, Stage in136) {
    this.text = text;
    this.in134 = in134;
    this.in135 = in135;
    this.in136 = in136;
  }

  /// The gate of this name.
  public static Optional<FeatureGate> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  /// Its name as in `featureGates` of a kubelet's configuration.
  public String text() {
    return text;
  }

  /// Whether it is on in this version.
  ///
  /// @param given gates that were set, by name
  public boolean isOn(KubernetesMinor minor, Map<String, Boolean> given) {
    return given.getOrDefault(text, stage(minor) != Stage.OFF);
  }

  /// Whether it cannot be set to anything but its default in this version.
  public boolean isLocked(KubernetesMinor minor) {
    return stage(minor) == Stage.LOCKED_ON;
  }

  private Stage stage(KubernetesMinor minor) {
    return switch (minor) {
      case V1_34 -> in134;
      case V1_35 -> in135;
      case V1_36 -> in136;
    };
  }
}
