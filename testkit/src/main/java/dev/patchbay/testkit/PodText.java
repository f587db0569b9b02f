package dev.patchbay.testkit;

/// Manifests of small pods.
final class PodText {
  private PodText() {}

  /// A pod with one container, `main`, that asks for so many of a resource.
  static String of(String name, String resource, int count) {
    return head(name) + "  containers:\n" + container("main", resource, count);
  }

  /// A pod with two containers, `first` and `second`, of which each asks for one.
  static String ofTwoContainers(String name, String resource) {
    return head(name)
        + "  containers:\n"
        + container("first", resource, 1)
        + container("second", resource, 1);
  }

  /// A pod whose init container, `init`, asks for so many and then `main` for as many.
  static String withInitContainer(String name, String resource, int count) {
    return head(name)
        + "  initContainers:\n"
        + container("init", resource, count)
        + "  containers:\n"
        + container("main", resource, count);
  }

  private static String head(String name) {
    return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\nspec:\n";
  }

  private static String container(String name, String resource, int count) {
    return
"""
    - name: %s
      image: none
      resources:
        limits:
          %s: %d
"""
        .formatted(name, resource, count);
  }
}
