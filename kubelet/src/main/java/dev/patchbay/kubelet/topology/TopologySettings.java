package dev.patchbay.kubelet.topology;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// The kubelet's settings of the topology manager, as they are written in its configuration; what
/// is wrong with them [TopologyPolicy#of] says.
///
/// @param policy `topologyManagerPolicy`: `none`, `best-effort`, `restricted` or `single-numa-node`
/// @param scope `topologyManagerScope`: `container` or `pod`
/// @param options `topologyManagerPolicyOptions`: `prefer-closest-numa-nodes`,
///   `max-allowable-numa-nodes`
/// @param variant whose hints for devices are made; a [dev.patchbay.kubelet.Kubelet] makes those of
///   its version of Kubernetes
/// @param betaOptions whether options that are beta may be set: `max-allowable-numa-nodes`, up to
///   Kubernetes 1.34
public record TopologySettings(
    String policy,
    String scope,
    SortedMap<String, String> options,
    HintVariant variant,
    boolean betaOptions) {
  /// The kubelet's own defaults: no topology manager.
  public static final TopologySettings DEFAULTS =
      new TopologySettings("none", "container", new TreeMap<>(), HintVariant.V1_36, true);

  public TopologySettings {
    options = Collections.unmodifiableSortedMap(new TreeMap<>(options));
  }

  /// The defaults with this policy and scope.
  public static TopologySettings of(String policy, String scope) {
    return new TopologySettings(
        policy, scope, DEFAULTS.options, DEFAULTS.variant, DEFAULTS.betaOptions);
  }

  /// The same with one more option.
  public TopologySettings with(String option, String value) {
    SortedMap<String, String> more = new TreeMap<>(options);
    more.put(option, value);
    return with(more);
  }

  /// The same with these options alone.
  public TopologySettings with(SortedMap<String, String> others) {
    return new TopologySettings(policy, scope, others, variant, betaOptions);
  }

  /// The same with another kubelet's hints.
  public TopologySettings with(HintVariant other) {
    return new TopologySettings(policy, scope, options, other, betaOptions);
  }

  /// The same with options that are beta allowed or not.
  public TopologySettings withBetaOptions(boolean allowed) {
    return new TopologySettings(policy, scope, options, variant, allowed);
  }
}
