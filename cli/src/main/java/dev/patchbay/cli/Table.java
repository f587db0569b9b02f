package dev.patchbay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Columns of text, as wide as their widest cell. A table without rows prints nothing.
final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... heads) {
    rows.add(List.of(heads));
  }

  Table row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  boolean isEmpty() {
    return rows.size() == 1;
  }

  @Override
  public String toString() {
    if (isEmpty()) return "";
    int columns = rows.getFirst().size();
    int[] widths =
        IntStream.range(0, columns)
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    var text = new StringBuilder();
    for (List<String> row : rows) {
      var line = new StringBuilder();
      for (int column = 0; column < columns; column++) {
        String cell = row.get(column);
        line.append(cell).append(" ".repeat(widths[column] - cell.length() + 2));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
