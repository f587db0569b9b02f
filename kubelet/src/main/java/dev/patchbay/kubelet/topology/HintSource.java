package dev.patchbay.kubelet.topology;

import dev.patchbay.kubelet.pods.PodSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/// What gives hints about its resources: devices, CPUs, memory.
///
/// An answer has a list for each resource that is asked for. An empty Optional in it means that the
/// resource has no preference, an empty list that it cannot be given at all. No resource at all
/// means no preference.
public interface HintSource {
  /// Where what this container asks for could lie.
  SortedMap<String, Optional<List<TopologyHint>>> hints(
      PodSpec pod, PodSpec.ContainerSpec container);

  /// Where what all containers of the pod ask for could lie together.
  SortedMap<String, Optional<List<TopologyHint>>> podHints(PodSpec pod);
}
