package dev.patchbay.agent;

import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Logs what is new about one driver's devices: each change once, devices that share a fate in one
/// line.
final class DriverNews {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.agent");

  private final String driver;
  private Map<ResourceName, Map<DeviceId, Health>> devices = new HashMap<>();
  private Set<Scan.Problem> problems = Set.of();
  private final Set<ResourceName> notServed = new HashSet<>();
  private @Nullable String failure;

  DriverNews(String driver) {
    this.driver = driver;
  }

  /// Nothing at all could be read.
  void failed(Exception e) {
    String why = e instanceof RuntimeException ? e.toString() : String.valueOf(e.getMessage());
    if (why.equals(failure)) return;
    failure = why;
    LOG.log(System.Logger.Level.ERROR, "driver failed driver=" + driver + " reason=" + why, e);
  }

  /// A resource could not be served.
  void notServed(ResourceName resource, Exception e) {
    if (notServed.add(resource))
      LOG.log(
          System.Logger.Level.ERROR,
          "resource not offered driver=%s resource=%s reason=%s"
              .formatted(driver, resource, e.getMessage()));
  }

  /// A look at the host worked.
  void looked(Scan scan, Map<ResourceName, List<OfferedDevice>> offered) {
    if (failure != null) LOG.log(System.Logger.Level.INFO, "driver works again driver=" + driver);
    failure = null;
    for (Scan.Problem problem : scan.problems())
      if (!problems.contains(problem))
        LOG.log(
            System.Logger.Level.WARNING,
            "device not usable driver=%s path=%s reason=%s"
                .formatted(driver, problem.path(), problem.why()));
    problems = Set.copyOf(scan.problems());
    Map<ResourceName, Map<DeviceId, Health>> now = new HashMap<>();
    offered.forEach((name, all) -> {
      Map<DeviceId, Health> healths = new LinkedHashMap<>();
      all.forEach(each -> healths.put(each.device().id(), each.device().health()));
      now.put(name, healths);
      compare(name, devices.get(name), healths);
    });
    devices.keySet().stream()
        .filter(name -> !now.containsKey(name))
        .forEach(name -> LOG.log(System.Logger.Level.INFO, "resource gone resource=" + name));
    devices = now;
  }

  private static void compare(
      ResourceName name, @Nullable Map<DeviceId, Health> before, Map<DeviceId, Health> now) {
    if (before == null)
      LOG.log(
          System.Logger.Level.INFO,
          "resource found resource=%s devices=%d".formatted(name, now.size()));
    Map<DeviceId, Health> was = before == null ? Map.of() : before;
    Map<String, Group> groups = new TreeMap<>();
    now.forEach((id, health) -> {
      Health old = was.get(id);
      if (Objects.equals(old, health)) return;
      // The healthy devices of a new resource are no news each.
      if (old == null && before == null && health.isHealthy()) return;
      groups.computeIfAbsent(what(old, health), _ -> new Group(health)).add(id);
    });
    was.keySet().stream()
        .filter(id -> !now.containsKey(id))
        .forEach(id ->
            groups
                .computeIfAbsent("device no longer listed", _ -> new Group(Health.healthy()))
                .add(id));
    groups.forEach((what, group) -> group.log(what.lines().findFirst().orElse(what), name));
  }

  /// Devices of one fate are those with the same key: the words and, on a second line, the reason.
  private static String what(@Nullable Health old, Health health) {
    return switch (health) {
      case Health.Healthy _ -> old == null ? "device new" : "device healthy again";
      case Health.Unhealthy unhealthy -> "device unhealthy\n" + unhealthy.reason();
    };
  }

  /// Devices that share a fate.
  private static final class Group {
    private static final int SHOWN = 3;

    private final Health health;
    private final StringBuilder first = new StringBuilder();
    private int count;

    Group(Health health) {
      this.health = health;
    }

    void add(DeviceId id) {
      if (count < SHOWN) first.append(count == 0 ? "" : ",").append(id);
      count++;
    }

    void log(String words, ResourceName resource) {
      String ids = count > SHOWN ? first + " and " + (count - SHOWN) + " more" : first.toString();
      String line = words + " resource=" + resource + " device=" + ids;
      switch (health) {
        case Health.Healthy _ -> LOG.log(System.Logger.Level.INFO, line);
        case Health.Unhealthy unhealthy ->
            LOG.log(System.Logger.Level.WARNING, line + " reason=" + unhealthy.reason());
      }
    }
  }
}
