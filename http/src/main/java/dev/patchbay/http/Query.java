package dev.patchbay.http;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What stands behind the `?` of a request, of which only the names matter here.
///
/// @param names without values: `verbose` of `verbose=1&x`
public record Query(Set<String> names) {
  public Query {
    names = Set.copyOf(names);
  }

  /// Reads one; decoded, or null when there is none.
  static Query parse(@Nullable String text) {
    if (text == null || text.isEmpty()) return new Query(Set.of());
    return new Query(
        Arrays.stream(text.split("&", -1))
            .map(part -> part.split("=", 2)[0])
            .collect(Collectors.toSet()));
  }

  /// Whether a name is there.
  public boolean has(String name) {
    return names.contains(name);
  }
}
