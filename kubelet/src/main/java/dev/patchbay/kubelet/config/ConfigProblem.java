package dev.patchbay.kubelet.config;

/// Something wrong with a kubelet's configuration.
///
/// @param place file and line, `kubelet.yaml:12`, or the option that said it; empty for what
///   neither says
/// @param field path in the file, `reservedMemory[0].numaNode`; empty for the whole, and for what
///   an option said
/// @param why what was found and what was needed
public record ConfigProblem(String place, String field, String why) {
  /// `kubelet.yaml:12: topologyManagerPolicy: is "tight"; needed is …`.
  @Override
  public String toString() {
    return (place.isEmpty() ? "" : place + ": ") + (field.isEmpty() ? "" : field + ": ") + why;
  }
}
