package dev.patchbay.it;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What can be checked of a Markdown text.
///
/// @param links targets of links and images, as written, without those inside code
/// @param anchors what a link's part after `#` can name: the headings as GitHub names them
/// @param copies blocks of code that say which file they are
record Markdown(List<Link> links, Set<String> anchors, List<SourceCopy> copies) {
  private static final Pattern LINK = Pattern.compile("]\\(\\s*<?([^)\\s>]+)>?[^)]*\\)");
  private static final Pattern REFERENCE = Pattern.compile("^\\s{0,3}\\[[^\\]]+]:\\s+(\\S+)");
  private static final Pattern HTML = Pattern.compile("(?:src|href)=\"([^\"]+)\"");
  private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");
  private static final Pattern HEADING = Pattern.compile("^#{1,6}\\s+(.*?)\\s*#*$");
  private static final Pattern FENCE = Pattern.compile("^\\s*(```+|~~~+).*");
  private static final Pattern SOURCE = Pattern.compile("^<!-- source: (\\S+) -->$");

  /// @param line counted from 1
  record Link(int line, String target) {}

  /// A block of code below `<!-- source: path -->`.
  ///
  /// @param line of that comment, counted from 1
  /// @param path from the root of the repository
  /// @param text the block; empty when the next line does not begin one
  record SourceCopy(int line, String path, Optional<String> text) {}

  static Markdown parse(String text) {
    var result = new Markdown(new ArrayList<>(), new HashSet<>(), new ArrayList<>());
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Matcher source = SOURCE.matcher(line.strip());
      if (source.matches())
        result.copies.add(new SourceCopy(i + 1, source.group(1), blockAt(lines, i + 1)));
      if (FENCE.matcher(line).matches()) i = endOfBlock(lines, i);
      else result.readLine(i + 1, line);
    }
    return result;
  }

  /// The line that ends the block which begins at this one; the last line when none does.
  private static int endOfBlock(List<String> lines, int begin) {
    Matcher fence = FENCE.matcher(lines.get(begin));
    String mark = fence.matches() ? fence.group(1) : "```";
    for (int i = begin + 1; i < lines.size(); i++)
      if (lines.get(i).strip().startsWith(mark)) return i;
    return lines.size() - 1;
  }

  private static Optional<String> blockAt(List<String> lines, int begin) {
    if (begin >= lines.size() || !FENCE.matcher(lines.get(begin)).matches())
      return Optional.empty();
    return Optional.of(String.join("\n", lines.subList(begin + 1, endOfBlock(lines, begin))));
  }

  private void readLine(int number, String line) {
    Matcher heading = HEADING.matcher(line);
    if (heading.matches()) addAnchor(anchorOf(heading.group(1)));
    ANCHOR.matcher(line).results().forEach(match -> anchors.add(match.group(1)));
    String prose = line.replaceAll("`[^`]*`", "");
    for (Pattern pattern : List.of(LINK, REFERENCE, HTML))
      pattern
          .matcher(prose)
          .results()
          .forEach(match -> links.add(new Link(number, match.group(1))));
  }

  private void addAnchor(String anchor) {
    String free = anchor;
    for (int i = 1; !anchors.add(free); i++) free = anchor + "-" + i;
  }

  /// `What is *new*?` is `what-is-new`.
  private static String anchorOf(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }
}
