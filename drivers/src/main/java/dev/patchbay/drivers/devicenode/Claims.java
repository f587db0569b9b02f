package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Scan;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Which device nodes are offered already. Finds those that two containers may get at once although
/// the configuration shares them neither by `count` nor by `limit`.
final class Claims {
  private record Claim(ResourceName resource, Unit unit) {
    boolean isExclusive(String node) {
      return unit.exclusiveNodes().contains(node);
    }
  }

  private final Map<String, Claim> first = new HashMap<>();

  List<Scan.Problem> add(ResourceName resource, Unit unit) {
    var claim = new Claim(resource, unit);
    Set<String> nodes = new TreeSet<>();
    for (DeviceNode node : unit.edits().deviceNodes()) nodes.add(node.hostPath());
    List<Scan.Problem> problems = new ArrayList<>();
    for (String node : nodes) {
      Claim before = first.putIfAbsent(node, claim);
      if (before != null && (before.isExclusive(node) || claim.isExclusive(node)))
        problems.add(
            new Scan.Problem(
                node,
                "is offered by %s as %s and by %s as %s; two containers may get it at once"
                    .formatted(before.resource(), before.unit(), resource, unit)));
    }
    return problems;
  }
}
