package dev.patchbay.cli;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.host.HostRoot;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.Quirk;
import dev.patchbay.kubelet.config.ConfigOption;
import dev.patchbay.kubelet.config.ConfigProblem;
import dev.patchbay.kubelet.config.KubeletConfigReader;
import dev.patchbay.kubelet.config.KubeletConfigReading;
import dev.patchbay.kubelet.config.KubeletConfiguration;
import dev.patchbay.kubelet.config.MachineRoom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// `--config` of `patchbay kubelet` and the options over it: how devices, CPUs and memory are given
/// out.
final class KubeletConfigOptions {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cli");

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "a KubeletConfiguration, as the kubelet's own option of this name takes it; what concerns devices, CPUs, memory and the number of pods is followed")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--topology-manager-policy",
      paramLabel = "POLICY",
      description = "none, best-effort, restricted or single-numa-node")
  private Optional<String> topologyPolicy = Optional.empty();

  @Option(
      names = "--topology-manager-scope",
      paramLabel = "SCOPE",
      description = "container or pod")
  private Optional<String> topologyScope = Optional.empty();

  @Option(
      names = "--topology-manager-policy-options",
      paramLabel = "NAME=VALUE,…",
      description = "prefer-closest-numa-nodes, max-allowable-numa-nodes")
  private Optional<String> topologyOptions = Optional.empty();

  @Option(
      names = "--cpu-manager-policy",
      paramLabel = "POLICY",
      description = "none or static, which needs reserved CPUs")
  private Optional<String> cpuPolicy = Optional.empty();

  @Option(
      names = "--cpu-manager-policy-options",
      paramLabel = "NAME=VALUE,…",
      description = "such as full-pcpus-only=true")
  private Optional<String> cpuOptions = Optional.empty();

  @Option(
      names = "--reserved-cpus",
      paramLabel = "CPUS",
      description = "CPUs that no container gets for itself, such as 0-1,8")
  private Optional<String> reservedCpus = Optional.empty();

  @Option(
      names = "--memory-manager-policy",
      paramLabel = "POLICY",
      description = "None or Static, which needs --reserved-memory")
  private Optional<String> memoryPolicy = Optional.empty();

  @Option(
      names = "--reserved-memory",
      paramLabel = "NODE:TYPE=SIZE,…;…",
      description =
          "what of NUMA nodes' memory no container gets, such as 0:memory=100Mi; together as much as the node keeps, which is 100Mi and what is reserved besides")
  private Optional<String> reservedMemory = Optional.empty();

  @Option(
      names = "--system-reserved",
      paramLabel = "NAME=SIZE,…",
      description = "what pods cannot have, of cpu, memory, ephemeral-storage, pid")
  private Optional<String> systemReserved = Optional.empty();

  @Option(
      names = "--kube-reserved",
      paramLabel = "NAME=SIZE,…",
      description = "the same, for the kubelet")
  private Optional<String> kubeReserved = Optional.empty();

  @Option(
      names = "--feature-gates",
      paramLabel = "NAME=BOOL,…",
      description = "such as ResourceHealthStatus=false")
  private Optional<String> featureGates = Optional.empty();

  @Option(
      names = "--max-pods",
      paramLabel = "COUNT",
      description = "how many pods the node takes (default: 110)")
  private Optional<String> maxPods = Optional.empty();

  @Option(
      names = "--kubernetes-minor",
      paramLabel = "VERSION",
      description =
          "whose kubelet is followed where they differ: 1.34, 1.35 or 1.36 (default: 1.36)")
  private Optional<String> minor = Optional.empty();

  @Option(
      names = "--quirks",
      paramLabel = "NAME,…",
      split = ",",
      description =
          "defects of Kubernetes' kubelet that are imitated; docs/reference/differences.md says which there are")
  private List<String> quirks = new ArrayList<>();

  @Option(
      names = "--host-root",
      paramLabel = "PATH",
      description =
          "where the /sys and /proc are that say which NUMA nodes, CPUs and memory there are, or an archive made by capture (default: /)")
  private Path hostRoot = Path.of("/");

  /// What file and options come to on the machine; what they say without effect is logged, once.
  ///
  /// @param directory the kubelet's own
  /// @throws WrongConfiguration when they cannot be used
  KubeletConfiguration read(CommandLine command, Path directory)
      throws IOException, WrongConfiguration {
    KubernetesMinor followed = minor(command);
    MachineRoom machine = MachineRoom.read(HostRoot.of(hostRoot), directory);
    KubeletConfigReading reading =
        file.isPresent()
            ? KubeletConfigReader.read(
                file.get().toString(), text(file.get()), options(), machine, followed)
            : KubeletConfigReader.read(options(), machine, followed);
    return switch (reading) {
      case KubeletConfigReading.Valid valid -> {
        valid
            .notices()
            .forEach(it ->
                LOG.log(System.Logger.Level.INFO, "kubelet configuration notice=\"{0}\"", it));
        yield valid.configuration();
      }
      case KubeletConfigReading.Wrong wrong ->
          throw new WrongConfiguration(
              "the kubelet's configuration cannot be used",
              wrong.problems().stream().map(ConfigProblem::toString).toList());
    };
  }

  private static String text(Path file) throws WrongConfiguration {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new WrongConfiguration(
          file + " cannot be used", List.of(file + ": " + ConfigFile.reason(e)));
    }
  }

  private List<ConfigOption> options() {
    return Stream.of(
            option("--topology-manager-policy", "topologyManagerPolicy", topologyPolicy),
            option("--topology-manager-scope", "topologyManagerScope", topologyScope),
            option(
                "--topology-manager-policy-options",
                "topologyManagerPolicyOptions",
                topologyOptions),
            option("--cpu-manager-policy", "cpuManagerPolicy", cpuPolicy),
            option("--cpu-manager-policy-options", "cpuManagerPolicyOptions", cpuOptions),
            option("--reserved-cpus", "reservedSystemCPUs", reservedCpus),
            option("--memory-manager-policy", "memoryManagerPolicy", memoryPolicy),
            option("--reserved-memory", "reservedMemory", reservedMemory),
            option("--system-reserved", "systemReserved", systemReserved),
            option("--kube-reserved", "kubeReserved", kubeReserved),
            option("--feature-gates", "featureGates", featureGates),
            option("--max-pods", "maxPods", maxPods))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<ConfigOption> option(String name, String field, Optional<String> text) {
    return text.map(given -> new ConfigOption(name, field, given));
  }

  private KubernetesMinor minor(CommandLine command) {
    if (minor.isEmpty()) return KubernetesMinor.V1_36;
    return KubernetesMinor.of(minor.get())
        .orElseThrow(() ->
            wrong(
                command,
                "--kubernetes-minor",
                minor.get(),
                Arrays.stream(KubernetesMinor.values())));
  }

  /// These settings with the quirks that are asked for.
  KubeletSettings quirked(CommandLine command, KubeletSettings settings) {
    Set<Quirk> all = EnumSet.noneOf(Quirk.class);
    for (String name : quirks)
      all.add(
          Quirk.of(name)
              .orElseThrow(() -> wrong(command, "--quirks", name, Arrays.stream(Quirk.values()))));
    return settings.withQuirks(all);
  }

  private static ParameterException wrong(
      CommandLine command, String option, String found, Stream<?> needed) {
    return new ParameterException(
        command,
        "%s: \"%s\" is none of %s"
            .formatted(
                option, found, needed.map(Object::toString).collect(Collectors.joining(", "))));
  }
}
