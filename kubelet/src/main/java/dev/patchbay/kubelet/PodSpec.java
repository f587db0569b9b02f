package dev.patchbay.kubelet;

import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// What the kubelet side needs to know of a pod.
///
/// @param uid unique for ever; `metadata.uid`
/// @param namespace `default` when the manifest has none
/// @param initContainers in the order in which they run
/// @param restartPolicy as in `spec.restartPolicy`
public record PodSpec(
    String uid,
    String namespace,
    String name,
    Map<String, String> annotations,
    List<ContainerSpec> initContainers,
    List<ContainerSpec> containers,
    RestartPolicy restartPolicy) {
  public PodSpec {
    annotations = Map.copyOf(annotations);
    initContainers = List.copyOf(initContainers);
    containers = List.copyOf(containers);
  }

  /// The containers in the order in which they get their devices: init containers first.
  List<ContainerSpec> allContainers() {
    return Stream.concat(initContainers.stream(), containers.stream()).toList();
  }

  /// When an ended container is started again.
  public enum RestartPolicy {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }

  /// One container.
  ///
  /// @param sidecar an init container with `restartPolicy: Always`: it keeps running and keeps its
  ///   devices
  /// @param limits extended resources asked for, whole numbers; zero is possible
  /// @param env literal variables; a `valueFrom` is refused when the manifest is read
  public record ContainerSpec(
      String name,
      String image,
      List<String> command,
      List<String> args,
      String workingDir,
      SequencedMap<String, String> env,
      SequencedMap<ResourceName, Long> limits,
      boolean sidecar) {
    public ContainerSpec {
      command = List.copyOf(command);
      args = List.copyOf(args);
    }
  }
}
