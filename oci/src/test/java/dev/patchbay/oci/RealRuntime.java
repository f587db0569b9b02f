package dev.patchbay.oci;

import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/// The runtime of this machine for tests; without one they are skipped aloud, or fail where the
/// variable `PATCHBAY_REQUIRE_RUNC` is 1.
final class RealRuntime {
  private RealRuntime() {}

  static OciRuntime in(Path root) {
    return switch (OciRuntime.find(Optional.empty())) {
      case RuntimeAvailability.Available(Path program, String version) ->
          new OciRuntime(program, root);
      case RuntimeAvailability.Missing(String why) -> skip(why);
    };
  }

  static OciRuntime skip(String why) {
    if ("1".equals(System.getenv("PATCHBAY_REQUIRE_RUNC"))) return fail("needed here: " + why);
    System.err.println("SKIPPED, no container is run by this test: " + why);
    Assumptions.abort(why);
    throw new AssertionError("not reached");
  }
}
