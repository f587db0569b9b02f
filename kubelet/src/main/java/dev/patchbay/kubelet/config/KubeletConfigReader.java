package dev.patchbay.kubelet.config;

import dev.patchbay.kubelet.FeatureGate;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuPolicy;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemoryPolicy;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.kubelet.topology.TopologySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Reads a kubelet's configuration for one machine. What it says that the kubelet of this version
/// would refuse is refused, with all that is wrong at once; what would only be refused later, for
/// this machine, too.
public final class KubeletConfigReader {
  private static final String KIND = "KubeletConfiguration";
  private static final String VERSION = "kubelet.config.k8s.io/v1beta1";
  private static final int USUAL_MAX_PODS = 110;
  private static final List<String> TOPOLOGY_POLICIES =
      List.of("none", "best-effort", "restricted", "single-numa-node");
  private static final List<String> SCOPES = List.of("container", "pod");
  private static final List<String> CPU_POLICIES = List.of("none", "static");
  private static final List<String> MEMORY_POLICIES = List.of("None", "Static");

  private final MachineRoom machine;
  private final KubernetesMinor minor;
  private final ConfigTree tree;
  private final List<String> notices = new ArrayList<>();

  private KubeletConfigReader(MachineRoom machine, KubernetesMinor minor, ConfigTree tree) {
    this.machine = machine;
    this.minor = minor;
    this.tree = tree;
  }

  /// Reads a file, and options over it.
  ///
  /// @param file name for messages
  /// @param text content of the file, YAML or JSON
  /// @param machine on which it is to hold
  /// @param minor whose kubelet it is for
  public static KubeletConfigReading read(
      String file,
      String text,
      List<ConfigOption> options,
      MachineRoom machine,
      KubernetesMinor minor) {
    ConfigTree tree = ConfigTree.of(file, text);
    if (tree.problems().isEmpty()) {
      if (!tree.text("kind").orElse("").equals(KIND))
        tree.problem(
            "kind", "is \"%s\"; needed is %s".formatted(tree.text("kind").orElse(""), KIND));
      if (!tree.text("apiVersion").orElse("").equals(VERSION))
        tree.problem(
            "apiVersion",
            "is \"%s\"; needed is %s".formatted(tree.text("apiVersion").orElse(""), VERSION));
    }
    return new KubeletConfigReader(machine, minor, tree).read(options);
  }

  /// Reads the fields of a configuration that is known to be one, without `apiVersion` and `kind`.
  ///
  /// @param name of the text, for messages
  /// @param usual settings whose version is followed, and whose topology manager is meant where the
  ///   fields name none
  public static KubeletConfigReading readFields(
      String name, String fields, MachineRoom machine, KubeletSettings usual) {
    ConfigTree tree = ConfigTree.of(name, fields);
    tree.suppose("topologyManagerPolicy", usual.topology().policy());
    tree.suppose("topologyManagerScope", usual.topology().scope());
    return new KubeletConfigReader(machine, usual.minor(), tree).read(List.of());
  }

  /// What holds without a file.
  public static KubeletConfigReading read(
      List<ConfigOption> options, MachineRoom machine, KubernetesMinor minor) {
    return new KubeletConfigReader(machine, minor, ConfigTree.ofOptions()).read(options);
  }

  private KubeletConfigReading read(List<ConfigOption> options) {
    var texts = new OptionTexts(tree);
    options.forEach(texts::put);
    SortedMap<String, Boolean> gates = gates();
    TopologySettings topology = topology(gates);
    CpuSet reservedCpus = reservedCpus();
    SortedMap<String, Long> reserved = new Reservations(tree, machine).read(reservedCpus);
    CpuSettings cpus =
        cpus(
            reservedCpus,
            reserved.getOrDefault("cpu", 0L),
            minor.closedCpuOptions(gates),
            topology.policy());
    MemorySettings memory = memory(reserved);
    int maxPods = maxPods();
    refuseOrNameOthers();
    if (!tree.problems().isEmpty()) return new KubeletConfigReading.Wrong(tree.problems());
    return new KubeletConfigReading.Valid(
        new KubeletConfiguration(minor, machine, topology, cpus, memory, gates, reserved, maxPods),
        notices);
  }

  private SortedMap<String, Boolean> gates() {
    SortedMap<String, Boolean> gates = new TreeMap<>();
    tree.flags("featureGates")
        .forEach((name, on) -> {
          var gate = FeatureGate.of(name);
          String field = "featureGates." + name;
          if (gate.isEmpty())
            notices.add(
                new ConfigProblem(tree.place(field), field, "has no effect here").toString());
          else if (gate.get().isLocked(minor) && !on)
            tree.problem(field, "is false; in Kubernetes %s it is locked to true".formatted(minor));
          else gates.put(name, on);
        });
    return gates;
  }

  private TopologySettings topology(Map<String, Boolean> gates) {
    String policy = tree.word("topologyManagerPolicy", TOPOLOGY_POLICIES);
    String scope = tree.word("topologyManagerScope", SCOPES);
    SortedMap<String, String> options =
        tree.texts("topologyManagerPolicyOptions").orElseGet(TreeMap::new);
    if (!options.isEmpty() && !FeatureGate.TOPOLOGY_MANAGER_POLICY_OPTIONS.isOn(minor, gates))
      tree.problem(
          "topologyManagerPolicyOptions",
          "needs the feature gate " + FeatureGate.TOPOLOGY_MANAGER_POLICY_OPTIONS.text());
    TopologySettings settings = TopologySettings.of(policy, scope).with(options);
    return checked(
        options.isEmpty() ? "topologyManagerPolicy" : "topologyManagerPolicyOptions",
        () -> {
          TopologyPolicy.of(minor.topology(settings, gates), machine.nodes());
          return settings;
        },
        TopologySettings.DEFAULTS);
  }

  private CpuSet reservedCpus() {
    return tree.text("reservedSystemCPUs")
        .map(text -> checked("reservedSystemCPUs", () -> reservedCpus(text), CpuSet.EMPTY))
        .orElse(CpuSet.EMPTY);
  }

  private CpuSet reservedCpus(String text) {
    CpuSet cpus = CpuSet.parse(text);
    CpuSet there = CpuSet.of(machine.nodes().cpus());
    if (!there.isEmpty() && !there.containsAll(cpus))
      throw new IllegalArgumentException(
          "is %s; needed are CPUs of this machine, which has %s".formatted(cpus, there));
    return cpus;
  }

  private CpuSettings cpus(
      CpuSet reserved,
      long thousandths,
      Map<CpuOption, CpuOption.Level> closed,
      String topologyPolicy) {
    String policy = tree.word("cpuManagerPolicy", CPU_POLICIES);
    SortedMap<String, String> options =
        tree.texts("cpuManagerPolicyOptions").orElseGet(TreeMap::new);
    if (policy.equals("none")) {
      if (!options.isEmpty())
        tree.problem(
            "cpuManagerPolicyOptions",
            "are %s; the policy none takes no options".formatted(options.keySet()));
      return CpuSettings.NONE;
    }
    CpuOptions understood =
        checked(
            "cpuManagerPolicyOptions",
            () -> {
              CpuOptions all = CpuOptions.of(options, closed);
              all.check(closed, machine.nodes(), topologyPolicy);
              return all;
            },
            CpuOptions.NONE);
    return checked(
        "cpuManagerPolicy",
        () ->
            new CpuSettings(
                CpuPolicy.STATIC,
                reserved,
                Math.toIntExact((thousandths + 999) / 1000),
                understood),
        CpuSettings.NONE);
  }

  private MemorySettings memory(Map<String, Long> reserved) {
    String policy = tree.word("memoryManagerPolicy", MEMORY_POLICIES);
    var given = new ReservedMemory(tree).read();
    if (policy.equals("None")) return MemorySettings.NONE;
    return checked(
        "reservedMemory",
        () -> {
          ReservedMemory.check(given, reserved, machine.nodes());
          return new MemorySettings(MemoryPolicy.STATIC, given);
        },
        MemorySettings.NONE);
  }

  private int maxPods() {
    int most = tree.count("maxPods").filter(count -> count > 0).orElse(USUAL_MAX_PODS);
    int perCore = tree.count("podsPerCore").orElse(0);
    if (perCore == 0) return most;
    long cores = machine.capacity().getOrDefault("cpu", 0L) / 1000;
    return (int) Math.min(most, cores * perCore);
  }

  private <T> T checked(String field, Supplier<T> value, T otherwise) {
    try {
      return value.get();
    } catch (IllegalArgumentException | ArithmeticException e) {
      tree.problem(field, String.valueOf(e.getMessage()));
      return otherwise;
    }
  }

  private void refuseOrNameOthers() {
    List<String> idle = new ArrayList<>();
    for (String field : tree.untaken())
      if (KnownFields.haveNoEffect(field)) idle.add(field);
      else tree.problem(field, "is no field of a KubeletConfiguration");
    if (!idle.isEmpty()) notices.add("without effect here: " + String.join(", ", idle));
  }
}
