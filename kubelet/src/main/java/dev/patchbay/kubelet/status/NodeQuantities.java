package dev.patchbay.kubelet.status;

import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Capacity and allocatable of a node as its status has them, by resource: `cpu` in thousandths of
/// a core, the others as their number or in bytes. Immutable; each update makes the next from the
/// one before, since a resource that once was there is never left out again.
public record NodeQuantities(
    SortedMap<String, Long> capacity, SortedMap<String, Long> allocatable) {
  /// Of a node that nobody has reported anything of.
  public static final NodeQuantities NONE = new NodeQuantities(new TreeMap<>(), new TreeMap<>());

  public NodeQuantities {
    capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
    allocatable = Collections.unmodifiableSortedMap(new TreeMap<>(allocatable));
  }

  /// What the device manager says.
  ///
  /// @param removed resources whose plugins are gone for longer than their grace. Upstream's
  ///   manager names each of them once, to whoever asks first, so that a second one who asks makes
  ///   the node keep their old capacity for ever; here they are part of the state and named every
  ///   time
  public record Plugins(
      SortedMap<ResourceName, Long> capacity,
      SortedMap<ResourceName, Long> allocatable,
      Set<ResourceName> removed) {
    /// No plugin was ever there.
    public static final Plugins NONE = new Plugins(new TreeMap<>(), new TreeMap<>(), Set.of());
  }

  /// The next quantities. Memory that huge pages have taken is not allocatable as `memory`.
  ///
  /// @param machine what the machine has now; what it had before and is not here any more stays
  /// @param reserved what of it is not for pods
  public NodeQuantities next(
      SortedMap<String, Long> machine, SortedMap<String, Long> reserved, Plugins plugins) {
    SortedMap<String, Long> newCapacity = new TreeMap<>(capacity);
    newCapacity.putAll(machine);
    plugins.capacity().forEach((name, count) -> newCapacity.put(name.toString(), count));
    // Zero and not away: so it is told apart from a resource of the whole cluster.
    plugins.removed().forEach(name -> newCapacity.put(name.toString(), 0L));
    SortedMap<String, Long> newAllocatable = new TreeMap<>(allocatable);
    newAllocatable.keySet().removeIf(name -> isExtended(name) && !newCapacity.containsKey(name));
    newCapacity.forEach((name, amount) ->
        newAllocatable.put(name, Math.max(0, amount - reserved.getOrDefault(name, 0L))));
    plugins.allocatable().forEach((name, count) -> newAllocatable.put(name.toString(), count));
    long inHugePages =
        newCapacity.entrySet().stream()
            .filter(each -> each.getKey().startsWith("hugepages-"))
            .mapToLong(Map.Entry::getValue)
            .sum();
    newAllocatable.computeIfPresent("memory", (_, bytes) -> Math.max(0, bytes - inHugePages));
    return new NodeQuantities(newCapacity, newAllocatable);
  }

  /// The same with nothing of any extended resource: what a node object that is found at the start
  /// says of them was said of another machine when [#isResetDue].
  public NodeQuantities reset() {
    return new NodeQuantities(withoutExtended(capacity), withoutExtended(allocatable(capacity)));
  }

  private SortedMap<String, Long> allocatable(Map<String, Long> of) {
    SortedMap<String, Long> all = new TreeMap<>(allocatable);
    of.keySet().stream().filter(NodeQuantities::isExtended).forEach(name -> all.put(name, 0L));
    return all;
  }

  private SortedMap<String, Long> withoutExtended(SortedMap<String, Long> amounts) {
    SortedMap<String, Long> reset = new TreeMap<>(amounts);
    reset.replaceAll(
        (name, amount) -> isExtended(name) && capacity.containsKey(name) ? 0L : amount);
    return reset;
  }

  /// Whether no kubelet has left anything in the device plugin directory, so that an existing node
  /// object is that of an earlier machine of this name. Sockets count, `kubelet.sock` among them:
  /// it has to be asked before the device manager listens. A directory that cannot be read is no
  /// reason to reset.
  public static boolean isResetDue(Path devicePluginDir) {
    try (DirectoryStream<Path> children = Files.newDirectoryStream(devicePluginDir, "[!.]*")) {
      return !children.iterator().hasNext();
    } catch (NoSuchFileException e) {
      return true; // upstream makes the directory before it looks
    } catch (IOException e) {
      return false;
    }
  }

  /// Whether this is a resource that device plugins offer: a name with a domain that is not
  /// Kubernetes' own.
  public static boolean isExtended(String name) {
    return name.indexOf('/') > 0
        && !name.contains("kubernetes.io/")
        && !name.startsWith("requests.")
        && ResourceName.problemOf(name).isEmpty();
  }
}
