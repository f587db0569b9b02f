package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/// The kubelet's topology manager: merges the hints of all sources and says whether a pod may run.
/// Immutable.
///
/// A caller asks every [HintSource], per container or once per pod as [#scope()] says, merges, and
/// gives each container's resources on the nodes of the merged hint. Under the policy `none` no
/// source is asked.
public final class TopologyPolicy {
  private final Name name;
  private final Scope scope;
  private final NumaMask allNodes;
  private final HintMerger merger;
  private final DeviceHints deviceHints;

  private TopologyPolicy(
      Name name, Scope scope, NumaMask allNodes, HintMerger merger, DeviceHints deviceHints) {
    this.name = name;
    this.scope = scope;
    this.allNodes = allNodes;
    this.merger = merger;
    this.deviceHints = deviceHints;
  }

  /// How much the policy insists.
  public enum Name {
    NONE("none"),
    BEST_EFFORT("best-effort"),
    RESTRICTED("restricted"),
    SINGLE_NUMA_NODE("single-numa-node");

    private final String text;

    Name(String text) {
      this.text = text;
    }

    /// As in the kubelet's configuration.
    public String text() {
      return text;
    }
  }

  /// What is aligned together.
  public enum Scope {
    /// Nothing; under the policy `none`.
    NONE("none"),
    /// The resources of each container.
    CONTAINER("container"),
    /// The resources of all containers of a pod.
    POD("pod");

    private final String text;

    Scope(String text) {
      this.text = text;
    }

    /// As in the kubelet's configuration.
    public String text() {
      return text;
    }
  }

  /// The policy that these settings mean on this machine. Under `none` nothing else of the settings
  /// is looked at, and the machine for the hints alone, which nobody merges then.
  ///
  /// @throws IllegalArgumentException when the kubelet would not start with them, with its text; or
  ///   when the machine has a NUMA node with an id over 63, with which the kubelet would start and
  ///   crash at the first pod
  public static TopologyPolicy of(TopologySettings settings, NumaMachine machine) {
    if (settings.policy().equals(Name.NONE.text()))
      return new TopologyPolicy(
          Name.NONE,
          Scope.NONE,
          NumaMask.EMPTY,
          new HintMerger(NumaMask.EMPTY, Distances.NOT_LOOKED_AT),
          new DeviceHints(nodesWithUsableIds(machine), settings.variant()));
    var options = PolicyOptions.of(settings);
    if (options.preferClosest()) Distances.requireKnown(machine);
    if (machine.nodes().size() > options.maxNodes())
      throw new IllegalArgumentException(
          "unsupported on machines with more than " + options.maxNodes() + " NUMA Nodes");
    Name name = nameOf(settings.policy());
    Scope scope = scopeOf(settings.scope());
    NumaMask allNodes = machine.mask();
    boolean closest = options.preferClosest() && name != Name.SINGLE_NUMA_NODE;
    return new TopologyPolicy(
        name,
        scope,
        allNodes,
        new HintMerger(allNodes, closest ? Distances.of(machine) : Distances.NOT_LOOKED_AT),
        new DeviceHints(allNodes, settings.variant()));
  }

  private static NumaMask nodesWithUsableIds(NumaMachine machine) {
    return NumaMask.of(
        machine.nodes().stream().map(NumaMachine.Node::id).filter(NumaMask::isId).toList());
  }

  private static Name nameOf(String text) {
    for (Name name : Name.values()) if (name.text().equals(text)) return name;
    throw new IllegalArgumentException("unknown policy: \"" + text + "\"");
  }

  private static Scope scopeOf(String text) {
    for (Scope scope : Scope.values())
      if (scope != Scope.NONE && scope.text().equals(text)) return scope;
    throw new IllegalArgumentException("unknown scope: \"" + text + "\"");
  }

  /// How much it insists.
  public Name name() {
    return name;
  }

  /// What is aligned together.
  public Scope scope() {
    return scope;
  }

  /// All NUMA nodes of the machine; none under the policy `none`.
  public NumaMask allNodes() {
    return allNodes;
  }

  /// How hints for device plugins' resources are made on this machine.
  public DeviceHints deviceHints() {
    return deviceHints;
  }

  /// The best that all answers together allow.
  ///
  /// @param answers one of each source
  public Merged merge(List<SortedMap<String, Optional<List<TopologyHint>>>> answers) {
    if (name == Name.NONE) return new Merged(TopologyHint.NONE, true);
    List<List<TopologyHint>> lists = flattened(answers);
    return switch (name) {
      case NONE, BEST_EFFORT -> new Merged(merger.merge(lists), true);
      case RESTRICTED -> {
        TopologyHint best = merger.merge(lists);
        yield new Merged(best, best.preferred());
      }
      case SINGLE_NUMA_NODE -> {
        TopologyHint best = merger.merge(lists.stream().map(TopologyPolicy::single).toList());
        if (best.mask().equals(Optional.of(allNodes)))
          best = new TopologyHint(Optional.empty(), best.preferred());
        yield new Merged(best, best.preferred());
      }
    };
  }

  /// A list for each resource; one for a source that has none.
  private static List<List<TopologyHint>> flattened(
      List<SortedMap<String, Optional<List<TopologyHint>>>> answers) {
    List<List<TopologyHint>> lists = new ArrayList<>();
    for (var answer : answers) {
      if (answer.isEmpty()) lists.add(List.of(TopologyHint.ANY));
      for (Optional<List<TopologyHint>> hints : answer.values())
        lists.add(
            hints
                .map(list -> list.isEmpty() ? List.of(TopologyHint.NONE) : list)
                .orElse(List.of(TopologyHint.ANY)));
    }
    return lists;
  }

  /// Of a list what places everything on one node.
  private static List<TopologyHint> single(List<TopologyHint> list) {
    return list.stream()
        .filter(hint -> hint.preferred() && hint.mask().map(mask -> mask.size() == 1).orElse(true))
        .toList();
  }
}
