package dev.patchbay.kubelet.pods;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// What is asked for of what the node itself has: `cpu` in thousandths of a core, `memory`,
/// `ephemeral-storage` and `hugepages-<size>` in bytes, each rounded up.
///
/// @param requests with the limit as the request where only a limit was given, as the API server
///   completes it
public record NativeResources(SortedMap<String, Long> requests, SortedMap<String, Long> limits) {
  /// Nothing is asked for.
  public static final NativeResources NONE =
      new NativeResources(Collections.emptySortedMap(), Collections.emptySortedMap());

  public NativeResources {
    limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
    SortedMap<String, Long> completed = new TreeMap<>(limits);
    completed.putAll(requests);
    requests = Collections.unmodifiableSortedMap(completed);
  }

  /// The request of one resource; 0 without.
  public long request(String name) {
    return requests.getOrDefault(name, 0L);
  }

  /// The limit of one resource; 0 without.
  public long limit(String name) {
    return limits.getOrDefault(name, 0L);
  }

  /// Whether nothing is asked for.
  public boolean isEmpty() {
    return requests.isEmpty();
  }
}
