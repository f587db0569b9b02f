package dev.patchbay.bench;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What was measured, as text.
///
/// @param ledgers the first candidate's is compared with each other's
/// @param machine as it was before anything was started
record Report(
    LocalDate date,
    Machine machine,
    Effort effort,
    SequencedMap<Candidate, Ledger<Measure>> ledgers) {

  /// A table for a terminal.
  String asText() {
    List<List<String>> table = new ArrayList<>();
    table.add(head());
    table.addAll(rows());
    int columns = head().size();
    int[] widths = new int[columns];
    for (List<String> row : table)
      for (int i = 0; i < columns; i++) widths[i] = Math.max(widths[i], row.get(i).length());
    return table.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n"));
  }

  /// Text on the left, numbers on the right.
  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (int i = 0; i < widths.length; i++)
      line.append(("%" + (i < 2 ? "-" : "") + widths[i] + "s  ").formatted(row.get(i)));
    return line.toString().stripTrailing();
  }

  /// The machine, the same table, and how each figure was obtained, in Markdown.
  String asMarkdown() {
    var text = new StringBuilder();
    text.append("Measured on %s: %s. %s\n\n".formatted(date, machine, machine.business()));
    text.append(markdownRow(head()));
    text.append(markdownRow(head().stream().map(_ -> "---").toList()));
    rows().forEach(row -> text.append(markdownRow(row)));
    text.append("\n| figure | samples | how it was obtained |\n|---|---|---|\n");
    for (Measure measure : measured())
      text.append(
          markdownRow(
              List.of(
                  effort.fill(measure.label()),
                  String.format(Locale.ROOT, "%,d", first().sorted(measure).length),
                  effort.fill(measure.how()))));
    return text.toString();
  }

  private static String markdownRow(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private List<String> head() {
    Stream<String> names = ledgers.keySet().stream().map(Candidate::name);
    Stream<String> ratios =
        ledgers.keySet().stream()
            .skip(1)
            .map(peer -> ledgers.firstEntry().getKey().name() + " / " + peer.name());
    return Stream.of(Stream.of("figure", ""), names, ratios, Stream.of("aim: under"))
        .flatMap(it -> it)
        .toList();
  }

  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    for (Measure measure : measured())
      for (Statistic statistic : Statistic.of(first().sorted(measure).length))
        rows.add(row(measure, statistic));
    return rows;
  }

  private List<String> row(Measure measure, Statistic statistic) {
    List<Long> values =
        ledgers.values().stream().map(it -> statistic.of(it.sorted(measure))).toList();
    List<String> row = new ArrayList<>(List.of(effort.fill(measure.label()), statistic.label()));
    values.forEach(value -> row.add(measure.unit().show(value)));
    values.stream().skip(1).forEach(peer -> row.add(ratio(values.getFirst(), peer)));
    row.add(measure.aim());
    return row;
  }

  private static String ratio(long ours, long peer) {
    return peer == 0 ? "–" : String.format(Locale.ROOT, "%.2f", (double) ours / peer);
  }

  private Ledger<Measure> first() {
    return ledgers.firstEntry().getValue();
  }

  private List<Measure> measured() {
    return Stream.of(Measure.values()).filter(it -> first().sorted(it).length > 0).toList();
  }
}
