package dev.patchbay.agent.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/// What is wrong in one file, gathered while it is read, and which keys the readers know.
final class Problems {
  /// A place in a file.
  ///
  /// @param line counted from 1; 0 when the file as a whole is meant
  /// @param column counted from 1; 0 when the file as a whole is meant
  record Place(int line, int column) {}

  private final String file;
  private final UnaryOperator<Place> places;
  private final List<ConfigProblem> found = new ArrayList<>();
  private final SortedSet<String> known = new TreeSet<>();

  Problems(String file) {
    this(file, UnaryOperator.identity());
  }

  /// @param places from a place in what is read to one in the file
  Problems(String file, UnaryOperator<Place> places) {
    this.file = file;
    this.places = places;
  }

  void add(Node node, String key, String message) {
    int line = node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    int column = node.getStartMark().map(Mark::getColumn).orElse(-1) + 1;
    add(line, column, key, message);
  }

  void add(int line, int column, String key, String message) {
    Place place = places.apply(new Place(line, column));
    found.add(new ConfigProblem(file, place.line(), place.column(), key, message));
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
