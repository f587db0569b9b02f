package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.memory.MemoryPolicy;
import dev.patchbay.kubelet.memory.MemorySettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What `start` is given. Keys and defaults are those of the control protocol. Beside them it takes
/// `cpuPolicyOptions`, `memoryPolicy`, `reservedMemory` and `maxPods` of the kubelet's own
/// configuration, and `kubernetes`, the minor version that is followed.
///
/// @param dir device plugin directory, absolute
/// @param registry where plugins that are watched for put their sockets
/// @param podResources the PodResources socket
/// @param state directory of the CPU and memory managers' files; without it there are none
/// @param nodes the machine
/// @param policyOptions topology manager's options, as texts
/// @param cpuPolicyOptions the static CPU policy's options, as texts
/// @param reservedCpus as a list of ranges: `0,2-3`
/// @param memory policy of the memory manager, and what of the nodes' memory is reserved
/// @param containers what the runtime reports
/// @param pods known from the start, not admitted; as they were given
record StartConfig(
    Path dir,
    Optional<Path> registry,
    Optional<Path> podResources,
    Optional<Path> state,
    String policy,
    String scope,
    SortedMap<String, String> policyOptions,
    List<MachineNode> nodes,
    String cpuPolicy,
    SortedMap<String, String> cpuPolicyOptions,
    String reservedCpus,
    MemorySettings memory,
    long maxPods,
    KubernetesMinor minor,
    SortedMap<String, Boolean> featureGates,
    boolean sourcesPending,
    List<RuntimeContainer> containers,
    List<JsonNode> pods) {
  private static final Path UPSTREAM = Path.of("/var/lib/kubelet/device-plugins");
  private static final long MAX_PODS = 110;

  /// A container that the runtime reports.
  record RuntimeContainer(String podUid, String name, String id, boolean running) {}

  /// Reads the whole; the default of everything is that of the protocol.
  static StartConfig read(Arguments config) throws WrongRequest {
    config.refuseOthers(
        "dir",
        "registry",
        "podResources",
        "state",
        "policy",
        "scope",
        "policyOptions",
        "numa",
        "topology",
        "cpuPolicy",
        "cpuPolicyOptions",
        "reservedCPUs",
        "memoryPolicy",
        "reservedMemory",
        "maxPods",
        "kubernetes",
        "featureGates",
        "sourcesPending",
        "containers",
        "pods");
    return new StartConfig(
        path(config, "dir").orElse(UPSTREAM),
        path(config, "registry"),
        path(config, "podResources"),
        path(config, "state"),
        config.optionalText("policy").filter(text -> !text.isEmpty()).orElse("none"),
        config.optionalText("scope").filter(text -> !text.isEmpty()).orElse("container"),
        options(config, "policyOptions"),
        MachineNode.read(config),
        cpuPolicy(config),
        options(config, "cpuPolicyOptions"),
        cpus(config),
        memory(config),
        config.whole("maxPods", MAX_PODS),
        minor(config),
        gates(config),
        config.flag("sourcesPending", false),
        containers(config),
        config.list("pods"));
  }

  /// The same without pods: those of an earlier start are known.
  StartConfig withoutPods() {
    return new StartConfig(
        dir,
        registry,
        podResources,
        state,
        policy,
        scope,
        policyOptions,
        nodes,
        cpuPolicy,
        cpuPolicyOptions,
        reservedCpus,
        memory,
        maxPods,
        minor,
        featureGates,
        sourcesPending,
        containers,
        List.of());
  }

  private static Optional<Path> path(Arguments config, String name) throws WrongRequest {
    Optional<String> text = config.optionalText(name).filter(path -> !path.isEmpty());
    if (text.isEmpty()) return Optional.empty();
    Path path = Path.of(text.get());
    if (!path.isAbsolute())
      throw new WrongRequest(
          "%s: %s is %s; needed is an absolute path".formatted(config.where(), name, path));
    return Optional.of(path);
  }

  private static String cpuPolicy(Arguments config) throws WrongRequest {
    String text = config.optionalText("cpuPolicy").filter(given -> !given.isEmpty()).orElse("none");
    if (!text.equals("none") && !text.equals("static"))
      throw new WrongRequest(
          config.where() + ": cpuPolicy is \"" + text + "\"; needed is none or static");
    return text;
  }

  private static String cpus(Arguments config) throws WrongRequest {
    String text = config.optionalText("reservedCPUs").orElse("");
    try {
      CpuRanges.parse(text);
    } catch (IllegalArgumentException e) {
      throw new WrongRequest(config.where() + ": reservedCPUs: " + e.getMessage());
    }
    return text;
  }

  private static MemorySettings memory(Arguments config) throws WrongRequest {
    String text =
        config.optionalText("memoryPolicy").filter(given -> !given.isEmpty()).orElse("None");
    MemoryPolicy policy =
        switch (text) {
          case "None" -> MemoryPolicy.NONE;
          case "Static" -> MemoryPolicy.STATIC;
          default ->
              throw new WrongRequest(
                  config.where() + ": memoryPolicy is \"" + text + "\"; needed is None or Static");
        };
    SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
    for (Arguments each : config.objects("reservedMemory")) {
      each.refuseOthers("numaNode", "limits");
      reserved.put(Math.toIntExact(each.whole("numaNode", 0)), limits(each));
    }
    try {
      return new MemorySettings(policy, reserved);
    } catch (IllegalArgumentException e) {
      throw new WrongRequest(config.where() + ": " + e.getMessage());
    }
  }

  /// Bytes, as a number or a text: the units that a quantity can have are not needed here.
  private static SortedMap<String, Long> limits(Arguments reservation) throws WrongRequest {
    SortedMap<String, Long> all = new TreeMap<>();
    Optional<Arguments> limits = reservation.optionalObject("limits");
    if (limits.isEmpty()) return all;
    for (Map.Entry<String, JsonNode> each : limits.get().object().properties()) {
      String bytes = each.getValue().asText();
      if (!bytes.matches("[0-9]{1,18}"))
        throw Arguments.wrong(
            limits.get().where() + ": " + each.getKey(), each.getValue(), "a number of bytes");
      all.put(each.getKey(), Long.parseLong(bytes));
    }
    return all;
  }

  private static KubernetesMinor minor(Arguments config) throws WrongRequest {
    Optional<String> text = config.optionalText("kubernetes");
    if (text.isEmpty()) return KubernetesMinor.V1_36;
    return KubernetesMinor.of(text.get())
        .orElseThrow(() ->
            new WrongRequest(
                "%s: kubernetes is \"%s\"; needed is one of %s"
                    .formatted(
                        config.where(), text.get(), Arrays.toString(KubernetesMinor.values()))));
  }

  private static SortedMap<String, String> options(Arguments config, String name)
      throws WrongRequest {
    SortedMap<String, String> all = new TreeMap<>();
    Optional<Arguments> given = config.optionalObject(name);
    if (given.isEmpty()) return all;
    for (Map.Entry<String, JsonNode> each : given.get().object().properties()) {
      if (!each.getValue().isTextual())
        throw Arguments.wrong(
            given.get().where() + ": " + each.getKey(), each.getValue(), "a text");
      all.put(each.getKey(), each.getValue().textValue());
    }
    return all;
  }

  private static SortedMap<String, Boolean> gates(Arguments config) throws WrongRequest {
    SortedMap<String, Boolean> all = new TreeMap<>();
    Optional<Arguments> given = config.optionalObject("featureGates");
    if (given.isEmpty()) return all;
    for (Map.Entry<String, JsonNode> each : given.get().object().properties()) {
      if (!each.getValue().isBoolean())
        throw Arguments.wrong(
            given.get().where() + ": " + each.getKey(), each.getValue(), "true or false");
      all.put(each.getKey(), each.getValue().booleanValue());
    }
    return all;
  }

  private static List<RuntimeContainer> containers(Arguments config) throws WrongRequest {
    List<RuntimeContainer> all = new ArrayList<>();
    for (Arguments each : config.objects("containers")) {
      each.refuseOthers("podUID", "name", "id", "running");
      all.add(
          new RuntimeContainer(
              each.text("podUID"),
              each.text("name"),
              each.optionalText("id").orElse(""),
              each.flag("running", false)));
    }
    return all;
  }
}
