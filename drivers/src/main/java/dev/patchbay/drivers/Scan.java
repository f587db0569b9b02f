package dev.patchbay.drivers;

import dev.patchbay.model.ResourceName;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// What a driver found in one look at the host.
///
/// @param resources the resources that it offers and their devices, sorted by id; a resource may
///   have none
/// @param notOffered what is here but offered by no resource, and why
/// @param problems what could not be read or used; the rest is not affected
public record Scan(
    SequencedMap<ResourceName, List<OfferedDevice>> resources,
    List<NotOffered> notOffered,
    List<Problem> problems) {
  public Scan {
    SequencedMap<ResourceName, List<OfferedDevice>> copy = new LinkedHashMap<>();
    resources.forEach((name, devices) -> copy.put(name, List.copyOf(devices)));
    resources = Collections.unmodifiableSequencedMap(copy);
    notOffered = List.copyOf(notOffered);
    problems = List.copyOf(problems);
  }

  /// A device of this family that no resource offers.
  ///
  /// @param path the host path or bus address
  /// @param why for a person: `no entry of the configuration matches`
  public record NotOffered(String path, String why) {}

  /// Something that could not be read or used.
  ///
  /// @param path what it is about
  /// @param why what was found and what was needed
  public record Problem(String path, String why) {}
}
