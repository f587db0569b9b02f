package dev.patchbay.cli.control;

import java.util.Collection;

/// Who is told that the health of pods' devices changed.
@FunctionalInterface
interface HealthEvents {
  /// The status of these pods has to be looked at again.
  void healthChanged(Collection<String> podUids);
}
