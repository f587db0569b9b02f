package dev.patchbay.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// patchbay.yaml(5), from `docs/reference/configuration.md`: of Markdown it knows what that page
/// uses, which is headings, paragraphs, lists, tables with a key in the first column, and code
/// blocks.
///
/// @param date of the page, as `2026-01-01`
record ConfigurationPage(String date, String version) {
  String of(String markdown) {
    ManPage page = ManPage.of("patchbay.yaml", 5, date, version);
    page.section("NAME").paragraph("patchbay.yaml - configuration of patchbay's agent");
    page.section("DESCRIPTION");
    List<String> lines = markdown.lines().toList();
    for (int at = 1; at < lines.size(); ) at = block(lines, at, page);
    page.section("FILES")
        .item(
            "`/etc/patchbay/patchbay.yaml`",
            List.of("The configuration of the agent that the system starts."))
        .section("SEE ALSO")
        .paragraph("**patchbay**(1), **patchbay-agent**(8), **patchbay-validate**(1)");
    return page.toString();
  }

  /// @return where the next block begins
  private static int block(List<String> lines, int at, ManPage page) {
    String line = lines.get(at);
    if (line.isBlank() || line.startsWith("<!--")) return at + 1;
    if (line.startsWith("## ")) {
      page.section(line.substring(3).toUpperCase(Locale.ROOT));
      return at + 1;
    }
    if (line.startsWith("### ")) {
      page.subsection(line.substring(4));
      return at + 1;
    }
    if (line.startsWith("- ")) return list(lines, at, page);
    if (line.startsWith("```")) return example(lines, at + 1, page);
    if (line.startsWith("|")) return table(lines, at + 2, page);
    return paragraph(lines, at, page);
  }

  private static int example(List<String> lines, int start, ManPage page) {
    int end = start;
    while (!lines.get(end).startsWith("```")) end++;
    page.example(lines.subList(start, end));
    return end + 1;
  }

  private static int table(List<String> lines, int start, ManPage page) {
    int at = start;
    for (; at < lines.size() && lines.get(at).startsWith("|"); at++) {
      List<String> cells = List.of(lines.get(at).replaceAll("^\\||\\|$", "").split("\\|", -1));
      List<String> meaning = new ArrayList<>(cells.subList(1, cells.size()));
      meaning.replaceAll(it -> withoutLinks(it.strip()));
      meaning.removeIf(String::isEmpty);
      page.item(cells.getFirst().strip(), meaning);
    }
    return at;
  }

  private static int list(List<String> lines, int start, ManPage page) {
    int at = start;
    while (at < lines.size() && lines.get(at).startsWith("- ")) {
      var words = new StringBuilder(lines.get(at++).substring(2));
      while (at < lines.size() && lines.get(at).startsWith("  "))
        words.append(' ').append(lines.get(at++).strip());
      page.item("•", List.of(withoutLinks(words.toString())));
    }
    return at;
  }

  /// Links lead to other files of the repository, which a manual page has not beside it.
  private static String withoutLinks(String words) {
    return words.replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1");
  }

  private static int paragraph(List<String> lines, int start, ManPage page) {
    int at = start;
    List<String> words = new ArrayList<>();
    for (; at < lines.size() && !lines.get(at).isBlank(); at++) words.add(lines.get(at));
    page.paragraph(withoutLinks(String.join(" ", words)));
    return at;
  }
}
