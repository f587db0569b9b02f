package dev.patchbay.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Text of a manual page in the macros of man(7).
///
/// Runs of text may have `` `code` `` and `**strong**` words, as in Markdown, which are set in
/// bold, and `_variables_`, in italics.
final class ManPage {
  private final StringBuilder text = new StringBuilder();

  /// A page with its head.
  ///
  /// @param date as `2026-01-01`
  static ManPage of(String name, int section, String date, String version) {
    var page = new ManPage();
    page.text.append(
        ".TH %s %d %s \"Patchbay %s\" \"Patchbay\"\n.nh\n.ad l\n"
            .formatted(escape(name.toUpperCase(Locale.ROOT)), section, date, version));
    return page;
  }

  ManPage section(String heading) {
    text.append(".SH ").append(quoted(heading)).append('\n');
    return this;
  }

  ManPage subsection(String heading) {
    text.append(".SS ").append(quoted(heading)).append('\n');
    return this;
  }

  ManPage paragraph(String words) {
    text.append(".PP\n").append(inline(words)).append('\n');
    return this;
  }

  /// A line after the last one, as in a synopsis.
  ManPage line(String words) {
    text.append(inline(words)).append("\n.br\n");
    return this;
  }

  /// A term and what it means, in one or more paragraphs.
  ManPage item(String term, List<String> meaning) {
    text.append(".TP\n").append(inline(term)).append('\n');
    String between = "";
    for (String words : meaning) {
      text.append(between).append(inline(words)).append('\n');
      between = ".IP\n";
    }
    if (meaning.isEmpty()) text.append(".br\n");
    return this;
  }

  /// Lines that stay as they are.
  ManPage example(List<String> lines) {
    text.append(".PP\n.in +4n\n.EX\n");
    for (String line : lines) text.append(escape(line)).append('\n');
    text.append(".EE\n.in\n");
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private static String inline(String words) {
    var out = new StringBuilder();
    List<String> rest =
        new ArrayList<>(List.of(words.split("(?<=`)|(?=`)|(?<=\\*\\*)|(?=\\*\\*)", -1)));
    String open = "";
    for (String part : rest) {
      boolean mark = part.equals("`") || part.equals("**");
      if (mark && open.isEmpty()) {
        open = part;
        out.append("\\fB");
      } else if (mark && part.equals(open)) {
        open = "";
        out.append("\\fR");
      } else {
        out.append(part.replace("\\", "\\e").replace("-", "\\-"));
      }
    }
    return guarded(italics(out.toString()));
  }

  /// `_DIR_` becomes italics; nothing else has such names.
  private static String italics(String words) {
    return words.replaceAll("(?<![A-Za-z0-9])_([A-Z]+)_(?![A-Za-z0-9])", "\\\\fI$1\\\\fR");
  }

  private static String escape(String words) {
    return guarded(words.replace("\\", "\\e").replace("-", "\\-"));
  }

  /// No line of text may look like a macro.
  private static String guarded(String words) {
    return words.replaceAll("(?m)^(?=[.'])", "\\\\&");
  }

  private static String quoted(String heading) {
    return '"' + escape(heading).replace("\"", "\\(dq") + '"';
  }
}
