package dev.patchbay.kubelet.pods;

import java.util.List;

/// What a manifest file says.
///
/// @param pods the pods without a fault, in the order of the file
/// @param problems why the other pods, or the whole file, cannot be used; empty when all is well
/// @param notices fields that are understood but left out here, such as volume mounts; the pod runs
///   without them
public record PodManifest(List<PodSpec> pods, List<Problem> problems, List<Problem> notices) {
  public PodManifest {
    pods = List.copyOf(pods);
    problems = List.copyOf(problems);
    notices = List.copyOf(notices);
  }

  /// One fault at one place.
  ///
  /// @param file as it was passed in
  /// @param line counted from 1; 0 when unknown
  /// @param field path in the document, `spec.containers[0].name`; empty for the document itself
  /// @param why what was found and what was needed
  public record Problem(String file, int line, String field, String why) {
    @Override
    public String toString() {
      return file
          + (line > 0 ? ":" + line : "")
          + ": "
          + (field.isEmpty() ? "" : field + ": ")
          + why;
    }
  }
}
