package dev.patchbay.kubelet.cpu;

/// How CPUs are given out.
///
/// @param reserved CPUs that no container owns, `reservedSystemCPUs` of the kubelet; when empty, as
///   many as `reservedCount` says are chosen
/// @param reservedCount how many CPUs are kept for the system, `systemReserved` and `kubeReserved`
///   together, rounded up; not looked at when `reserved` names some
/// @param options of the static policy
public record CpuSettings(
    CpuPolicy policy, CpuSet reserved, int reservedCount, CpuOptions options) {
  /// No container owns a CPU.
  public static final CpuSettings NONE =
      new CpuSettings(CpuPolicy.NONE, CpuSet.EMPTY, 0, CpuOptions.NONE);

  public CpuSettings {
    if (policy == CpuPolicy.STATIC && reserved.isEmpty() && reservedCount <= 0)
      throw new IllegalArgumentException(
          "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be"
              + " greater than zero");
  }

  /// The static policy with these CPUs kept for the system.
  public static CpuSettings reserving(CpuSet reserved) {
    return new CpuSettings(CpuPolicy.STATIC, reserved, reserved.size(), CpuOptions.NONE);
  }

  /// The static policy with as many CPUs kept for the system, those that a container would get
  /// first.
  public static CpuSettings reserving(int count) {
    return new CpuSettings(CpuPolicy.STATIC, CpuSet.EMPTY, count, CpuOptions.NONE);
  }

  /// The same with these options.
  public CpuSettings with(CpuOptions others) {
    return new CpuSettings(policy, reserved, reservedCount, others);
  }
}
