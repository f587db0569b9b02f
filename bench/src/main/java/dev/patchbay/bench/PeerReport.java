package dev.patchbay.bench;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What was measured of our agent and of Go plugins, as Markdown: figures, ratios, how each was
/// obtained.
///
/// @param image the size of our image, where it was built
record PeerReport(LocalDate date, Machine machine, PeerRace.Result result, Optional<Long> image) {
  String asMarkdown() {
    var text = new StringBuilder();
    text.append("Measured on %s: %s. %s\n\n".formatted(date, machine, machine.business()));
    text.append("Medians of all samples of a plugin; its largest sample in parentheses.\n\n");
    text.append(figures());
    text.append(
        "\nOurs divided by theirs; of what adds up on a node, also ours with all families by the sum of these ");
    text.append(goPlugins().size()).append(" plugins. Below 1 ours is less.\n\n");
    text.append(ratios());
    image.ifPresent(bytes ->
        text.append("\nOur image as an OCI archive: %s.\n".formatted(Unit.MEBIBYTES.show(bytes))));
    if (!result.remarks().isEmpty()) {
      text.append("\nNot measured:\n\n");
      result.remarks().forEach(each -> text.append("- ").append(each).append('\n'));
    }
    text.append("\n| figure | samples | how it was obtained |\n|---|---|---|\n");
    for (PeerMeasure measure : PeerMeasure.values())
      text.append(row(Stream.of(measure.label(), samples(measure), measure.how())));
    return text.toString();
  }

  private List<Peer> peers() {
    return List.copyOf(result.ledgers().keySet());
  }

  private List<Peer> ours() {
    return peers().stream().filter(Peer::isOurs).toList();
  }

  private List<Peer> goPlugins() {
    return peers().stream().filter(peer -> !peer.isOurs()).toList();
  }

  private String samples(PeerMeasure measure) {
    return peers().stream()
        .map(peer -> sorted(peer, measure).length)
        .filter(count -> count > 0)
        .distinct()
        .sorted()
        .map(String::valueOf)
        .collect(Collectors.joining(", "));
  }

  private long[] sorted(Peer peer, PeerMeasure measure) {
    return result.ledgers().getOrDefault(peer, new Ledger<>()).sorted(measure);
  }

  private Optional<Long> median(Peer peer, PeerMeasure measure) {
    long[] sorted = sorted(peer, measure);
    return sorted.length == 0 ? Optional.empty() : Optional.of(Statistic.MEDIAN.of(sorted));
  }

  private String figures() {
    var text = new StringBuilder();
    text.append(row(Stream.concat(Stream.of("figure"), peers().stream().map(Peer::name))));
    text.append(row(Stream.concat(Stream.of("---"), peers().stream().map(_ -> "---"))));
    for (PeerMeasure measure : PeerMeasure.values())
      text.append(
          row(
              Stream.concat(
                  Stream.of(measure.label()), peers().stream().map(peer -> cell(peer, measure)))));
    return text.toString();
  }

  private String cell(Peer peer, PeerMeasure measure) {
    long[] sorted = sorted(peer, measure);
    if (sorted.length == 0) return "–";
    String middle = measure.unit().show(Statistic.MEDIAN.of(sorted));
    return sorted.length == 1
        ? middle
        : middle + " (" + measure.unit().show(Statistic.MAX.of(sorted)) + ")";
  }

  private String ratios() {
    List<String> head = new ArrayList<>(List.of("figure"));
    for (Peer our : ours())
      for (Peer other : goPlugins()) head.add(our.name() + " / " + other.name());
    head.add(ours().getLast().name() + " / all of them");
    var text = new StringBuilder(row(head.stream()));
    text.append(row(head.stream().map(_ -> "---")));
    for (PeerMeasure measure : PeerMeasure.values()) text.append(ratioRow(measure));
    return text.toString();
  }

  private String ratioRow(PeerMeasure measure) {
    List<String> cells = new ArrayList<>(List.of(measure.label()));
    for (Peer our : ours())
      for (Peer other : goPlugins()) cells.add(ratio(median(our, measure), median(other, measure)));
    cells.add(measure.adds() ? ratio(median(ours().getLast(), measure), sum(measure)) : "");
    return row(cells.stream());
  }

  private Optional<Long> sum(PeerMeasure measure) {
    List<Long> all =
        goPlugins().stream().map(peer -> median(peer, measure)).flatMap(Optional::stream).toList();
    return all.size() < goPlugins().size()
        ? Optional.empty()
        : Optional.of(all.stream().mapToLong(Long::longValue).sum());
  }

  private static String ratio(Optional<Long> ours, Optional<Long> theirs) {
    if (ours.isEmpty() || theirs.isEmpty() || theirs.get() <= 0) return "–";
    return String.format(Locale.ROOT, "%.2f", (double) ours.get() / theirs.get());
  }

  private static String row(Stream<String> cells) {
    return cells.collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /// The same for a terminal: a line for each figure of each plugin.
  String asText() {
    var text = new StringBuilder();
    for (PeerMeasure measure : PeerMeasure.values())
      for (Map.Entry<Peer, Ledger<PeerMeasure>> each : result.ledgers().entrySet())
        text.append(
            "%-48s %-20s %s\n"
                .formatted(measure.label(), each.getKey().name(), cell(each.getKey(), measure)));
    return text.toString();
  }
}
