package dev.patchbay.cluster;

import dev.patchbay.kubelet.pods.PodManifest;
import dev.patchbay.kubelet.pods.PodManifest.Problem;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.ObjectFieldSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A pod of the API server as this node understands it.
sealed interface PodReading {
  /// It can be run.
  ///
  /// @param leftOut fields that are not followed here, for people; empty when there are none
  record Understood(PodSpec spec, String leftOut) implements PodReading {}

  /// It asks for what this node does not do, and would be wrong without.
  record Unsupported(String why) implements PodReading {}

  /// Reads it by the rules of manifests, which the embedded kubelet has anyway. Only fields that
  /// matter to it are handed on: a newer API server has more, and has checked them all.
  static PodReading of(Pod pod, String nodeAddress, KubernetesSerialization json) {
    PodManifest read =
        PodManifests.read(
            pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName(),
            json.asJson(reduced(pod, nodeAddress)));
    if (!read.problems().isEmpty()) return new Unsupported(lines(read.problems()));
    return new Understood(read.pods().getFirst(), lines(read.notices()));
  }

  private static String lines(List<Problem> problems) {
    return problems.stream()
        .map(it -> it.field() + " " + it.why())
        .distinct()
        .collect(Collectors.joining("; "));
  }

  private static Pod reduced(Pod pod, String nodeAddress) {
    var meta = pod.getMetadata();
    var spec = pod.getSpec();
    return new PodBuilder()
        .withNewMetadata()
        .withName(meta.getName())
        .withNamespace(meta.getNamespace())
        .withUid(meta.getUid())
        .withAnnotations(meta.getAnnotations())
        .endMetadata()
        .withNewSpec()
        .withInitContainers(reduced(spec.getInitContainers(), pod, nodeAddress))
        .withContainers(reduced(spec.getContainers(), pod, nodeAddress))
        .withRestartPolicy(spec.getRestartPolicy())
        .withResources(spec.getResources())
        .withHostNetwork(spec.getHostNetwork())
        .withHostPID(spec.getHostPID())
        .withHostIPC(spec.getHostIPC())
        .withResourceClaims(spec.getResourceClaims())
        .withVolumes(
            spec.getVolumes().stream()
                .filter(volume -> !isServiceAccountToken(volume.getName()))
                .toList())
        .endSpec()
        .withNewStatus()
        .withExtendedResourceClaimStatus(
            pod.getStatus() == null ? null : pod.getStatus().getExtendedResourceClaimStatus())
        .endStatus()
        .build();
  }

  private static List<Container> reduced(List<Container> containers, Pod pod, String nodeAddress) {
    return containers.stream()
        .map(it ->
            new ContainerBuilder()
                .withName(it.getName())
                .withImage(it.getImage())
                .withCommand(it.getCommand())
                .withArgs(it.getArgs())
                .withWorkingDir(it.getWorkingDir())
                .withEnvFrom(it.getEnvFrom())
                .withEnv(env(it.getEnv(), pod, nodeAddress))
                .withResources(it.getResources())
                .withRestartPolicy(it.getRestartPolicy())
                .withRestartPolicyRules(it.getRestartPolicyRules())
                .withLivenessProbe(it.getLivenessProbe())
                .withReadinessProbe(it.getReadinessProbe())
                .withStartupProbe(it.getStartupProbe())
                .withLifecycle(it.getLifecycle())
                .withSecurityContext(it.getSecurityContext())
                .withVolumeDevices(it.getVolumeDevices())
                .withVolumeMounts(
                    it.getVolumeMounts().stream()
                        .filter(mount -> !isServiceAccountToken(mount.getName()))
                        .toList())
                .build())
        .toList();
  }

  /// The API server gives every pod one; nearly none uses it.
  private static boolean isServiceAccountToken(String volume) {
    return volume.startsWith("kube-api-access-");
  }

  private static List<EnvVar> env(List<EnvVar> variables, Pod pod, String nodeAddress) {
    List<EnvVar> known = new ArrayList<>();
    for (EnvVar variable : variables)
      known.add(
          fieldOf(variable)
              .flatMap(field -> value(field, pod, nodeAddress))
              .map(value ->
                  new EnvVarBuilder().withName(variable.getName()).withValue(value).build())
              .orElse(variable));
    return known;
  }

  private static Optional<String> fieldOf(EnvVar variable) {
    return Optional.ofNullable(variable.getValueFrom())
        .flatMap(from -> Optional.ofNullable(from.getFieldRef()))
        .map(ObjectFieldSelector::getFieldPath);
  }

  private static Optional<String> value(String field, Pod pod, String nodeAddress) {
    var meta = pod.getMetadata();
    return switch (field) {
      case "metadata.name" -> Optional.of(meta.getName());
      case "metadata.namespace" -> Optional.of(meta.getNamespace());
      case "metadata.uid" -> Optional.of(meta.getUid());
      case "spec.nodeName" -> Optional.of(pod.getSpec().getNodeName());
      case "spec.serviceAccountName" ->
          Optional.of(Optional.ofNullable(pod.getSpec().getServiceAccountName()).orElse(""));
      case "status.hostIP" -> Optional.of(nodeAddress);
      default ->
          entry(field, "metadata.labels", meta.getLabels())
              .or(() -> entry(field, "metadata.annotations", meta.getAnnotations()));
    };
  }

  private static Optional<String> entry(String field, String map, Map<String, String> entries) {
    if (!field.startsWith(map + "['") || !field.endsWith("']")) return Optional.empty();
    String key = field.substring(map.length() + 2, field.length() - 2);
    return Optional.of(entries.getOrDefault(key, ""));
  }
}
