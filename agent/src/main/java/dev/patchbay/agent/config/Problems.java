package dev.patchbay.agent.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/// What is wrong in one file, gathered while it is read, and which keys the readers know.
final class Problems {
  private final String file;
  private final List<ConfigProblem> found = new ArrayList<>();
  private final SortedSet<String> known = new TreeSet<>();

  Problems(String file) {
    this.file = file;
  }

  void add(Node node, String key, String message) {
    int line = node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    int column = node.getStartMark().map(Mark::getColumn).orElse(-1) + 1;
    add(line, column, key, message);
  }

  void add(int line, int column, String key, String message) {
    found.add(new ConfigProblem(file, line, column, key, message));
  }

  int size() {
    return found.size();
  }

  /// All problems in the order of the file.
  List<ConfigProblem> sorted() {
    return found.stream()
        .sorted(
            Comparator.comparingInt(ConfigProblem::line).thenComparingInt(ConfigProblem::column))
        .toList();
  }

  /// Notes a key that a reader asked for; list positions do not count.
  void know(String key) {
    known.add(key.replaceAll("\\[\\d+]", "[]"));
  }

  SortedSet<String> known() {
    return known;
  }
}
