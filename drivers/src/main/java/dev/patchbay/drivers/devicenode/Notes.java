package dev.patchbay.drivers.devicenode;

import dev.patchbay.drivers.Scan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a scan has to say besides its devices, each thing once.
final class Notes {
  private final Set<Scan.Problem> problems = new LinkedHashSet<>();
  private final Set<Scan.NotOffered> missing = new LinkedHashSet<>();
  private final Map<String, String> leftOver = new LinkedHashMap<>();
  private final Set<String> matched = new HashSet<>();
  private final Set<String> offered = new HashSet<>();

  void problem(Scan.Problem problem) {
    problems.add(problem);
  }

  /// Something that the configuration asks for is not here.
  void missing(String what, String why) {
    missing.add(new Scan.NotOffered(what, why));
  }

  /// A path was found; counts as not offered, with the first reason given, unless it is offered
  /// elsewhere.
  void leftOver(String path, String why) {
    leftOver.putIfAbsent(path, why);
  }

  /// The configuration knows this path.
  void matched(String path) {
    matched.add(path);
  }

  void offered(Unit unit) {
    offered.addAll(unit.paths());
  }

  Set<String> matched() {
    return Set.copyOf(matched);
  }

  List<Scan.Problem> problems() {
    return List.copyOf(problems);
  }

  List<Scan.NotOffered> notOffered() {
    List<Scan.NotOffered> all = new ArrayList<>(missing);
    leftOver.forEach((path, why) -> {
      if (!offered.contains(path)) all.add(new Scan.NotOffered(path, why));
    });
    return all;
  }
}
