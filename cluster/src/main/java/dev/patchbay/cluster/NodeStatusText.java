package dev.patchbay.cluster;

import dev.patchbay.kubelet.status.NodeQuantities;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The Node object and its status, of what the machine and the device manager say.
///
/// @param runtime the node's OCI runtime, as `name://version`; empty without one
/// @param address the node's
record NodeStatusText(ClusterConfig config, Machine machine, String runtime, String address) {
  /// The object as it is made when there is none.
  Node node(NodeQuantities quantities, Instant now) {
    Map<String, String> labels = new TreeMap<>(ownLabels());
    config.labels().forEach(labels::putIfAbsent);
    return new NodeBuilder()
        .withNewMetadata()
        .withName(config.nodeName())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withTaints(taints())
        .endSpec()
        .withStatus(status(quantities, List.of(), now))
        .build();
  }

  /// Labels that say what is true of the machine, whoever made the object.
  Map<String, String> ownLabels() {
    return new TreeMap<>(
        Map.of(
            "kubernetes.io/hostname", config.nodeName(),
            "kubernetes.io/os", "linux",
            "kubernetes.io/arch", machine.architecture(),
            "beta.kubernetes.io/os", "linux",
            "beta.kubernetes.io/arch", machine.architecture()));
  }

  private List<Taint> taints() {
    return config.taints().stream()
        .map(taint ->
            new TaintBuilder()
                .withKey(taint.key())
                .withValue(taint.value().isEmpty() ? null : taint.value())
                .withEffect(taint.effect())
                .build())
        .toList();
  }

  /// The status now.
  ///
  /// @param before the conditions as they were, of which those that are the same keep their time
  NodeStatus status(NodeQuantities quantities, List<NodeCondition> before, Instant now) {
    return new NodeStatusBuilder()
        .withCapacity(new LinkedHashMap<>(Quantities.of(quantities.capacity())))
        .withAllocatable(new LinkedHashMap<>(Quantities.of(quantities.allocatable())))
        .withConditions(conditions(before, now.truncatedTo(ChronoUnit.SECONDS)))
        .addNewAddress(address, "InternalIP")
        .addNewAddress(config.nodeName(), "Hostname")
        .withNodeInfo(systemInfo())
        .build();
  }

  private NodeSystemInfo systemInfo() {
    return new NodeSystemInfoBuilder()
        .withMachineID(machine.machineId())
        .withSystemUUID(machine.systemUuid())
        .withBootID(machine.bootId())
        .withKernelVersion(machine.kernelVersion())
        .withOsImage(machine.osImage())
        .withContainerRuntimeVersion(runtime)
        .withKubeletVersion(config.version())
        .withKubeProxyVersion("")
        .withOperatingSystem("linux")
        .withArchitecture(machine.architecture())
        .build();
  }

  private List<NodeCondition> conditions(List<NodeCondition> before, Instant now) {
    List<NodeCondition> conditions = new ArrayList<>();
    conditions.add(
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available"));
    conditions.add(
        condition(
            "DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"));
    conditions.add(
        condition(
            "PIDPressure",
            "False",
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available"));
    conditions.add(
        runtime.isEmpty()
            ? condition(
                "Ready", "False", "KubeletNotReady", "no OCI runtime: containers are not run")
            : condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"));
    return conditions.stream().map(it -> timed(it, before, now)).toList();
  }

  private static NodeCondition condition(
      String type, String status, String reason, String message) {
    return new NodeConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage(message)
        .build();
  }

  private static NodeCondition timed(
      NodeCondition condition, List<NodeCondition> before, Instant now) {
    Optional<NodeCondition> same =
        before.stream()
            .filter(it ->
                it.getType().equals(condition.getType())
                    && it.getStatus().equals(condition.getStatus()))
            .findFirst();
    return new NodeConditionBuilder(condition)
        .withLastHeartbeatTime(now.toString())
        .withLastTransitionTime(
            same.map(NodeCondition::getLastTransitionTime).orElse(now.toString()))
        .build();
  }

  /// What of a status has to be equal for two to say the same: all but when it was said.
  static NodeStatus timeless(NodeStatus status) {
    return new NodeStatusBuilder(status)
        .withConditions(
            status.getConditions().stream()
                .map(it -> new NodeConditionBuilder(it).withLastHeartbeatTime(null).build())
                .toList())
        .build();
  }
}
