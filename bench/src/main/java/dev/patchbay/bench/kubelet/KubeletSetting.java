package dev.patchbay.bench.kubelet;

/// What a kubelet is measured with.
///
/// @param nodes NUMA nodes of the machine, with four CPUs each
/// @param resources how many resources there are, each served by a plugin of its own
/// @param devices of each resource, spread evenly over the nodes
/// @param policy of the topology manager
/// @param staticCpus whether the static CPU manager gives hints as well, for one CPU
/// @param pods how many pods hold eight devices each meanwhile
record KubeletSetting(
    int nodes, int resources, int devices, String policy, boolean staticCpus, int pods) {
  static final int CPUS_PER_NODE = 4;

  static KubeletSetting of(int nodes, int devices, String policy) {
    return new KubeletSetting(nodes, 1, devices, policy, false, 0);
  }

  KubeletSetting withResources(int count, boolean andCpus) {
    return new KubeletSetting(nodes, count, devices, policy, andCpus, pods);
  }

  KubeletSetting withPods(int count) {
    return new KubeletSetting(nodes, resources, devices, policy, staticCpus, count);
  }
}
