package dev.patchbay.kubelet;

/// The kubelet's answer to a pod that wants to run here.
public sealed interface Admission {
  /// The reason of a pod that would have parts of cores where cores are given as a whole.
  String PARTS_OF_CORES = "SMTAlignmentError";

  /// Every container has its devices.
  record Admitted() implements Admission {}

  /// The pod failed for good.
  ///
  /// @param reason as in `status.reason`: `UnexpectedAdmissionError`, `TopologyAffinityError`,
  ///   `SMTAlignmentError`, `OutOf<resource name>`
  /// @param message as in `status.message`, without the prefix `Pod was rejected: `
  record Refused(String reason, String message) implements Admission {}

  /// The refusal of a pod for which something could not be allocated.
  ///
  /// @param why the manager's own text
  static Refused unexpected(String why) {
    return new Refused(
        "UnexpectedAdmissionError", "Allocate failed due to " + why + ", which is unexpected");
  }
}
