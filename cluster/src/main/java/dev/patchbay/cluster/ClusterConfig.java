package dev.patchbay.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Settings of a node of a cluster.
///
/// @param kubeconfig absolute; says where the API server is and who the node is to it
/// @param nodeName name of the Node object, a DNS-1123 subdomain
/// @param address of the node; empty for the one from which the API server is reached
/// @param labels of a Node object that is made, beside the usual ones
/// @param taints of a Node object that is made
/// @param capacity what the node has: `cpu` in thousandths of a core, `pods` as the number that may
///   be bound to it, everything else in bytes. What pods can have of it the kubelet side's settings
///   say
/// @param version the version of Kubernetes that the node says it follows, with our own behind a
///   `+`
/// @param statusPeriod how often the node's status is looked at without a cause
/// @param reportPeriod how often it is written although nothing changed
/// @param leasePeriod how often the lease is renewed; it is good for four times as long
public record ClusterConfig(
    Path kubeconfig,
    String nodeName,
    Optional<String> address,
    SortedMap<String, String> labels,
    List<NodeTaint> taints,
    SortedMap<String, Long> capacity,
    String version,
    Duration statusPeriod,
    Duration reportPeriod,
    Duration leasePeriod) {
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  public ClusterConfig {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
    if (nodeName.length() > 253 || !NAME.matcher(nodeName).matches())
      throw new IllegalArgumentException(
          "node name \""
              + nodeName
              + "\" is no DNS-1123 subdomain: lower-case letters, digits, '-' and '.'");
  }

  /// The usual settings: periods as the kubelet has them.
  public static ClusterConfig of(
      Path kubeconfig, String nodeName, String version, SortedMap<String, Long> capacity) {
    return new ClusterConfig(
        kubeconfig,
        nodeName,
        Optional.empty(),
        new TreeMap<>(),
        List.of(),
        capacity,
        version,
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        Duration.ofSeconds(10));
  }

  /// The same with this address, these labels and taints.
  public ClusterConfig with(
      Optional<String> newAddress, Map<String, String> newLabels, List<NodeTaint> newTaints) {
    return new ClusterConfig(
        kubeconfig,
        nodeName,
        newAddress,
        new TreeMap<>(newLabels),
        newTaints,
        capacity,
        version,
        statusPeriod,
        reportPeriod,
        leasePeriod);
  }

  /// The same with other periods.
  public ClusterConfig withPeriods(Duration status, Duration report, Duration lease) {
    return new ClusterConfig(
        kubeconfig, nodeName, address, labels, taints, capacity, version, status, report, lease);
  }
}
