package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.NodeHealth;
import dev.patchbay.drivers.Scan;
import dev.patchbay.drivers.devicenode.Combinations.Match;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.Group;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.host.HostRoot;
import dev.patchbay.host.NumaNodes;
import dev.patchbay.host.Stat;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Makes the devices of groups of paths.
final class PathUnits {
  private final HostRoot host;
  private final Notes notes;

  PathUnits(HostRoot host, Notes notes) {
    this.host = host;
    this.notes = notes;
  }

  List<Unit> of(ResourceName resource, Group group) {
    List<List<String>> matches = new ArrayList<>();
    for (PathSpec spec : group.paths()) matches.add(matches(resource, spec));
    List<List<Match>> devices = Combinations.of(group.paths(), matches);
    noteLeftOvers(resource, group, matches, devices);
    return devices.stream().map(device -> unit(device, group)).toList();
  }

  private List<String> matches(ResourceName resource, PathSpec spec) {
    HostRoot.Matches found = host.glob(spec.path());
    found.unreadable().forEach(why -> notes.problem(new Scan.Problem(spec.path(), why)));
    for (String path : found.paths()) {
      notes.matched(path);
      host.resolve(path).ifPresent(notes::matched);
    }
    if (found.paths().isEmpty() && found.unreadable().isEmpty() && !spec.optional())
      notes.missing(spec.path(), "nothing matches; " + resource + " has no device of it");
    return found.paths();
  }

  private void noteLeftOvers(
      ResourceName resource, Group group, List<List<String>> matches, List<List<Match>> devices) {
    Set<String> used = new HashSet<>();
    for (List<Match> device : devices) for (Match match : device) used.add(match.path());
    for (int i = 0; i < matches.size(); i++) {
      if (group.paths().get(i).type() != PathType.DEVICE) continue;
      for (String path : matches.get(i))
        if (!used.contains(path))
          notes.leftOver(path, "there is no partner left for it in its group of " + resource);
    }
  }

  private Unit unit(List<Match> device, Group group) {
    List<Match> nodes =
        device.stream().filter(each -> each.spec().type() == PathType.DEVICE).toList();
    List<Match> named = nodes.isEmpty() ? device : nodes;
    Set<String> exclusive = new HashSet<>();
    for (Match node : nodes)
      if (group.count() == 1 && node.spec().limit() == 1) exclusive.add(hostPath(node));
    return new Unit(
        named.stream().map(each -> DeviceIds.nameOf(each.path())).toList(),
        device.stream().map(Match::path).toList(),
        collision(device)
            .map(Health::unhealthy)
            .orElseGet(() -> healthOf(device, group.healthCheck())),
        numaNodes(nodes),
        edits(device),
        exclusive);
  }

  private String hostPath(Match match) {
    return host.resolve(match.path()).orElse(match.path());
  }

  /// Why the parts cannot be in one container, if they cannot.
  private Optional<String> collision(List<Match> device) {
    Map<String, Match> places = new HashMap<>();
    for (Match match : device) {
      String place = match.spec().containerPath(match.path());
      Match other = places.putIfAbsent(place, match);
      if (other != null && !hostPath(other).equals(hostPath(match)))
        return Optional.of(
            "%s and %s would both be %s in the container; each needs a mount-path of its own"
                .formatted(other.path(), match.path(), place));
    }
    return Optional.empty();
  }

  private Health healthOf(List<Match> device, HealthCheck check) {
    for (Match match : device) {
      Health health =
          switch (match.spec().type()) {
            case DEVICE -> NodeHealth.ofNodeOrDirectory(host, match.path(), check);
            case MOUNT ->
                host.stat(match.path()).isPresent()
                    ? Health.healthy()
                    : Health.unhealthy(match.path() + " is gone or a link that leads nowhere");
          };
      if (!health.isHealthy()) return health;
    }
    return Health.healthy();
  }

  private ContainerEdits edits(List<Match> device) {
    ContainerEdits edits = ContainerEdits.NONE;
    for (Match match : device) {
      PathSpec spec = match.spec();
      String hostPath = hostPath(match);
      String containerPath = spec.containerPath(match.path());
      edits =
          switch (spec.type()) {
            case DEVICE ->
                edits.and(
                    new ContainerEdits.DeviceNode(hostPath, containerPath, spec.permissions()));
            case MOUNT ->
                edits.and(new ContainerEdits.Mount(hostPath, containerPath, spec.readOnly()));
          };
    }
    return edits;
  }

  private SortedSet<Integer> numaNodes(List<Match> nodes) {
    SortedSet<Integer> all = new TreeSet<>();
    for (Match match : nodes)
      host.stat(match.path())
          .filter(Stat::isDevice)
          .ifPresent(stat -> all.addAll(NumaNodes.of(host, stat)));
    return all;
  }
}
