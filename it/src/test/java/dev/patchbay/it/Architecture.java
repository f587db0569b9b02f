package dev.patchbay.it;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// The two tables in ARCHITECTURE.md of what may use what.
///
/// @param modules each module and those that it may use by itself
/// @param libraries beginnings of package names, and the packages below `dev.patchbay` that may
///   import them
record Architecture(
    SequencedMap<String, Set<String>> modules, SequencedMap<String, Set<String>> libraries) {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  static Architecture read() throws IOException {
    List<String> lines = Files.readAllLines(Repository.ROOT.resolve("ARCHITECTURE.md"));
    SequencedMap<String, Set<String>> modules = new LinkedHashMap<>();
    List<List<String>> rows = rows(lines, "| module |");
    for (List<String> row : rows) {
      String module = code(row.getFirst()).getFirst();
      modules.put(module, used(row.getLast(), modules.sequencedKeySet()));
    }
    SequencedMap<String, Set<String>> libraries = new LinkedHashMap<>();
    for (List<String> row : rows(lines, "| imports of |"))
      for (String library : code(row.getFirst()))
        libraries.put(library, new LinkedHashSet<>(code(row.getLast())));
    return new Architecture(modules, libraries);
  }

  /// `the JDK`, `–`, some modules, `all above`, or `all above but` some.
  private static Set<String> used(String cell, Set<String> above) {
    Set<String> named = new LinkedHashSet<>(code(cell));
    if (!cell.startsWith("all above")) return named;
    Set<String> used = new LinkedHashSet<>(above);
    used.removeAll(named);
    return used;
  }

  private static List<List<String>> rows(List<String> lines, String head) {
    List<List<String>> rows = new ArrayList<>();
    int start = 0;
    while (!lines.get(start).startsWith(head)) start++;
    for (String line : lines.subList(start + 2, lines.size())) {
      if (!line.startsWith("|")) break;
      List<String> cells = List.of(line.substring(1).split("\\|", -1));
      rows.add(cells.subList(0, cells.size() - 1).stream().map(String::strip).toList());
    }
    return rows;
  }

  private static List<String> code(String cell) {
    return CODE.matcher(cell).results().map((MatchResult match) -> match.group(1)).toList();
  }

  /// The modules that a module may use by itself or through others.
  Set<String> allowed(String module) {
    Set<String> reached = new LinkedHashSet<>();
    collect(module, reached);
    return reached;
  }

  private void collect(String module, Set<String> reached) {
    for (String used : Objects.requireNonNull(modules.get(module), module))
      if (reached.add(used)) collect(used, reached);
  }
}
