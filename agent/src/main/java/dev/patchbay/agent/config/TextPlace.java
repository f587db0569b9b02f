package dev.patchbay.agent.config;

import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Where in a file the lines of a text are that stands in it as a value: for a literal block, `|`,
/// its own lines; for every other style the place of the value, whose lines are not the text's.
final class TextPlace {
  private final Problems.Place value;
  private final boolean isLiteral;
  private final int indent;

  /// @param file the whole file's text
  TextPlace(String file, ScalarNode value) {
    Optional<Mark> start = value.getStartMark();
    int line = start.map(Mark::getLine).orElse(-1);
    this.value = new Problems.Place(line + 1, start.map(Mark::getColumn).orElse(-1) + 1);
    List<String> lines = file.lines().toList();
    Optional<String> first = value.getValue().lines().filter(it -> !it.isBlank()).findFirst();
    isLiteral = value.getScalarStyle() == ScalarStyle.LITERAL && first.isPresent();
    indent =
        isLiteral
            ? lines.stream()
                .skip(line + 1L)
                .filter(it -> !it.isBlank())
                .findFirst()
                .map(it -> it.length() - first.get().length())
                .orElse(0)
            : 0;
  }

  /// The place in the file of a place in the text; 0 is the text as a whole.
  Problems.Place of(Problems.Place inText) {
    return isLiteral && inText.line() > 0
        ? new Problems.Place(value.line() + inText.line(), indent + inText.column())
        : value;
  }
}
