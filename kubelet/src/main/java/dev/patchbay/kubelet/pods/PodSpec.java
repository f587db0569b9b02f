package dev.patchbay.kubelet.pods;

import dev.patchbay.model.ResourceName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What the kubelet side needs to know of a pod.
///
/// @param uid unique for ever; `metadata.uid`
/// @param namespace `default` when the manifest has none
/// @param initContainers in the order in which they run
/// @param restartPolicy as in `spec.restartPolicy`
/// @param resources cpu, memory and huge pages of the pod as a whole; [NativeResources#NONE]
///   without
/// @param claims claims of dynamic resources that were allocated for the pod
/// @param draBacked extended resources of containers that a dynamic resource stands for
///   (`status.extendedResourceClaimStatus.requestMappings`): no plugin's devices are given for them
public record PodSpec(
    String uid,
    String namespace,
    String name,
    Map<String, String> annotations,
    List<ContainerSpec> initContainers,
    List<ContainerSpec> containers,
    RestartPolicy restartPolicy,
    NativeResources resources,
    List<DraClaim> claims,
    Set<DraBacked> draBacked) {
  public PodSpec {
    annotations = Map.copyOf(annotations);
    initContainers = List.copyOf(initContainers);
    containers = List.copyOf(containers);
    claims = List.copyOf(claims);
    draBacked = Set.copyOf(draBacked);
  }

  /// A pod without resources as a whole and without dynamic resources.
  public PodSpec(
      String uid,
      String namespace,
      String name,
      Map<String, String> annotations,
      List<ContainerSpec> initContainers,
      List<ContainerSpec> containers,
      RestartPolicy restartPolicy) {
    this(
        uid,
        namespace,
        name,
        annotations,
        initContainers,
        containers,
        restartPolicy,
        NativeResources.NONE,
        List.of(),
        Set.of());
  }

  /// The same pod with these dynamic resources.
  public PodSpec withDynamicResources(List<DraClaim> newClaims, Set<DraBacked> newDraBacked) {
    return new PodSpec(
        uid,
        namespace,
        name,
        annotations,
        initContainers,
        containers,
        restartPolicy,
        resources,
        newClaims,
        newDraBacked);
  }

  /// The containers in the order in which they get their devices: init containers first.
  public List<ContainerSpec> allContainers() {
    return Stream.concat(initContainers.stream(), containers.stream()).toList();
  }

  /// Whether this container is an init container that ends before the pod's others run.
  public boolean isRegularInit(ContainerSpec container) {
    return !container.sidecar() && initContainers.contains(container);
  }

  /// Whether a dynamic resource stands for this container's extended resource.
  public boolean isDraBacked(String container, ResourceName resource) {
    return draBacked.contains(new DraBacked(container, resource));
  }

  /// How its cpu and memory rank it among the node's pods.
  public QosClass qosClass() {
    return QosClass.of(this);
  }

  /// When an ended container is started again.
  public enum RestartPolicy {
    ALWAYS,
    ON_FAILURE,
    NEVER
  }

  /// An extended resource of one container for which a dynamic resource stands.
  public record DraBacked(String container, ResourceName resource) {}

  /// One container.
  ///
  /// @param sidecar an init container with `restartPolicy: Always`: it keeps running and keeps its
  ///   devices
  /// @param limits extended resources asked for, whole numbers; zero is possible. Kept in the order
  ///   of their names, in which they are allocated, whatever order the manifest has
  /// @param env literal variables; a `valueFrom` is refused when the manifest is read
  /// @param resources what it asks for of what the node itself has
  /// @param claims which claims of the pod it uses, in the order of `resources.claims`
  public record ContainerSpec(
      String name,
      String image,
      List<String> command,
      List<String> args,
      String workingDir,
      SequencedMap<String, String> env,
      SequencedMap<ResourceName, Long> limits,
      boolean sidecar,
      NativeResources resources,
      List<DraClaim.Use> claims) {
    public ContainerSpec {
      command = List.copyOf(command);
      args = List.copyOf(args);
      limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
      claims = List.copyOf(claims);
    }

    /// A container that asks for extended resources alone.
    public ContainerSpec(
        String name,
        String image,
        List<String> command,
        List<String> args,
        String workingDir,
        SequencedMap<String, String> env,
        SequencedMap<ResourceName, Long> limits,
        boolean sidecar) {
      this(
          name,
          image,
          command,
          args,
          workingDir,
          env,
          limits,
          sidecar,
          NativeResources.NONE,
          List.of());
    }

    /// The same container with these native resources.
    public ContainerSpec withResources(NativeResources newResources) {
      return new ContainerSpec(
          name, image, command, args, workingDir, env, limits, sidecar, newResources, claims);
    }
  }
}
