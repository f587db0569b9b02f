package dev.patchbay.interop.differential;

/// What came of a scenario.
sealed interface Outcome {
  /// Nothing differed.
  ///
  /// @param observations how many were compared
  record Equal(int observations) implements Outcome {}

  /// Nothing differed until a known difference made it useless to go on.
  record CutShort(KnownDifference why, int step, String detail) implements Outcome {}

  /// Something differed.
  ///
  /// @param step index of the step after which it was seen
  /// @param what was compared
  /// @param ours as the first side shows it
  /// @param theirs as the second side shows it
  record Differs(int step, String what, String ours, String theirs) implements Outcome {
    /// Whether another outcome shows the same kind of difference, so that shrinking does not end at
    /// another one.
    boolean isLike(Outcome other) {
      return other instanceof Differs differs && differs.kind().equals(kind());
    }

    /// What was compared, without its subject.
    String kind() {
      return what.split("[ ,]", 2)[0];
    }
  }
}
