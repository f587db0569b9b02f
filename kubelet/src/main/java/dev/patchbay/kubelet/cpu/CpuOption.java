package dev.patchbay.kubelet.cpu;

import java.util.Arrays;
import java.util.Optional;

/// An option of the static policy, one of `cpuManagerPolicyOptions` of the kubelet.
public enum CpuOption {
  /// A container gets whole cores, or is refused.
  WHOLE_CORES("full-pcpus-only"),
  /// CPUs of a container that needs several NUMA nodes come from them in equal parts.
  EVEN_NODES("distribute-cpus-across-numa"),
  /// A container's CPUs are on many cores rather than on few.
  MANY_CORES("distribute-cpus-across-cores"),
  /// NUMA nodes of one socket are as good as one node.
  SOCKETS("align-by-socket"),
  /// Containers that own no CPUs do not run on the reserved ones either.
  STRICT_RESERVATION("strict-cpu-reservation"),
  /// A container's CPUs share a last-level cache where that is possible.
  ONE_CACHE("prefer-align-cpus-by-uncorecache");

  /// How far an option has come that needs a feature gate for that.
  public enum Level {
    /// It needs `CPUManagerPolicyAlphaOptions`.
    ALPHA("Alpha"),
    /// It needs `CPUManagerPolicyBetaOptions`.
    BETA("Beta");

    private final String text;

    Level(String text) {
      this.text = text;
    }

    /// As in the kubelet's texts: `Alpha`, `Beta`.
    @Override
    public String toString() {
      return text;
    }
  }

  private final String text;

  CpuOption(String text) {
    this.text = text;
  }

  /// The option of this name, as in `full-pcpus-only`.
  public static Optional<CpuOption> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  /// Its name in the kubelet's configuration.
  @Override
  public String toString() {
    return text;
  }
}
