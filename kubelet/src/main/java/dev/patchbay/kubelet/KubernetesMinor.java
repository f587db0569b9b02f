package dev.patchbay.kubelet;

import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.registration.RegistrationServer;
import dev.patchbay.kubelet.topology.HintVariant;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which minor version of Kubernetes is followed where they differ. What else differs are defaults
/// of [FeatureGate]s.
public enum KubernetesMinor {
  V1_34("1.34"),
  V1_35("1.35"),
  V1_36("1.36");

  private final String text;

  KubernetesMinor(String text) {
    this.text = text;
  }

  /// The version that is written so, as `1.36`.
  public static Optional<KubernetesMinor> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  /// As in `1.36`.
  @Override
  public String toString() {
    return text;
  }

  /// Settings of the topology manager as this version takes them: from 1.36 on hints for devices
  /// name only NUMA nodes on which the resource has devices, and from 1.35 on no option is beta.
  ///
  /// @param gates those that were set, by name
  public TopologySettings topology(TopologySettings settings, Map<String, Boolean> gates) {
    return settings
        .with(this == V1_36 ? HintVariant.V1_36 : HintVariant.V1_34)
        .withBetaOptions(
            this != V1_34 || FeatureGate.TOPOLOGY_MANAGER_POLICY_BETA_OPTIONS.isOn(this, gates));
  }

  /// Options of the static CPU policy that may not be used in this version, since the gate of their
  /// level is off.
  ///
  /// @param gates those that were set, by name
  public Map<CpuOption, CpuOption.Level> closedCpuOptions(Map<String, Boolean> gates) {
    Map<CpuOption, CpuOption.Level> closed = new EnumMap<>(CpuOption.class);
    if (!FeatureGate.CPU_MANAGER_POLICY_ALPHA_OPTIONS.isOn(this, gates)) {
      closed.put(CpuOption.SOCKETS, CpuOption.Level.ALPHA);
      closed.put(CpuOption.MANY_CORES, CpuOption.Level.ALPHA);
    }
    if (!FeatureGate.CPU_MANAGER_POLICY_BETA_OPTIONS.isOn(this, gates)) {
      closed.put(CpuOption.EVEN_NODES, CpuOption.Level.BETA);
      if (this != V1_36) closed.put(CpuOption.ONE_CACHE, CpuOption.Level.BETA);
      if (this == V1_34) closed.put(CpuOption.STRICT_RESERVATION, CpuOption.Level.BETA);
    }
    return closed;
  }

  /// The pod as this version's device manager sees it: from 1.35 on, with the gate
  /// [FeatureGate#DRA_EXTENDED_RESOURCE], it gives no devices where a dynamic resource stands for
  /// an extended one.
  ///
  /// @param gates those that were set, by name
  PodSpec seen(PodSpec pod, Map<String, Boolean> gates) {
    return pod.draBacked().isEmpty()
            || (this != V1_34 && FeatureGate.DRA_EXTENDED_RESOURCE.isOn(this, gates))
        ? pod
        : pod.withDynamicResources(pod.claims(), Set.of());
  }

  /// Whether a container runs when any of the runtime's containers of its name does, rather than
  /// the first that the runtime names.
  public boolean countsAnyContainerAsRunning() {
    return this != V1_34;
  }

  /// What the end of a Register call brings about: from 1.35 on it ends the question for the
  /// plugin's options.
  RegistrationServer.Withdrawal withdrawal() {
    return this == V1_34
        ? RegistrationServer.Withdrawal.IS_NOT_SEEN
        : RegistrationServer.Withdrawal.COUNTS;
  }

  /// Settings of the plugin watcher as this version has them: from 1.36 on it tries a registration
  /// again that has failed.
  public PluginWatcherConfig watcher(PluginWatcherConfig settings) {
    return settings.with(
        this == V1_36
            ? PluginWatcherConfig.Refused.TRIED_AGAIN
            : PluginWatcherConfig.Refused.LEFT_ALONE);
  }
}
