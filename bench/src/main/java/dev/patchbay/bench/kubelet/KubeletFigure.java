package dev.patchbay.bench.kubelet;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// A case as it was measured with both kubelets.
///
/// @param ours empty when it could not be measured
/// @param theirs empty when it could not be measured, or would take too long
/// @param why what could not be measured; empty when all could
record KubeletFigure(
    KubeletCase what, Optional<KubeletTimes> ours, Optional<KubeletTimes> theirs, String why) {
  /// A table in Markdown.
  static String table(List<KubeletFigure> figures) {
    var text =
        new StringBuilder(
            """
            | work | ours | upstream | ours / upstream | aim: under | first time: ours | upstream |
            | --- | --- | --- | --- | --- | --- | --- |
            """);
    for (KubeletFigure figure : figures)
      text.append(
          "| %s | %s | %s | %s | %s | %s | %s |\n"
              .formatted(
                  figure.what.text(),
                  show(figure.ours, KubeletTimes::median),
                  show(figure.theirs, KubeletTimes::median),
                  figure.ratio(),
                  figure.what.aim(),
                  show(figure.ours, KubeletTimes::first),
                  show(figure.theirs, KubeletTimes::first)));
    List<String> missing =
        figures.stream()
            .filter(figure -> !figure.why.isEmpty())
            .map(figure -> "- " + figure.what.text() + ": " + figure.why)
            .toList();
    if (!missing.isEmpty())
      text.append("\nNot measured:\n\n").append(String.join("\n", missing)).append("\n");
    return text.toString();
  }

  /// How the times of each series grow with its devices, in Markdown.
  static String growth(List<KubeletFigure> figures) {
    var text = new StringBuilder("| work | ours | upstream |\n| --- | --- | --- |\n");
    List<String> series =
        figures.stream().flatMap(figure -> figure.series().stream()).distinct().toList();
    for (String each : series) {
      List<KubeletFigure> members =
          figures.stream().filter(figure -> figure.series().equals(Optional.of(each))).toList();
      text.append(
          "| %s | %s | %s |\n"
              .formatted(
                  each,
                  Growth.of(medians(members, KubeletFigure::ours)),
                  Growth.of(medians(members, KubeletFigure::theirs))));
    }
    return text.toString();
  }

  private Optional<String> series() {
    return what.series().map(with -> what.work().text() + ": " + with);
  }

  private static SortedMap<Integer, Long> medians(
      List<KubeletFigure> figures, Function<KubeletFigure, Optional<KubeletTimes>> whose) {
    SortedMap<Integer, Long> medians = new TreeMap<>();
    for (KubeletFigure figure : figures)
      whose
          .apply(figure)
          .ifPresent(times -> medians.put(figure.what.setting().devices(), times.median()));
    return medians;
  }

  private static String show(Optional<KubeletTimes> times, Function<KubeletTimes, Long> which) {
    return times
        .map(it -> String.format(Locale.ROOT, "%.2f ms", which.apply(it) / 1000.0))
        .orElse("–");
  }

  private String ratio() {
    if (ours.isEmpty() || theirs.isEmpty() || theirs.get().median() == 0) return "–";
    return String.format(Locale.ROOT, "%.3f", (double) ours.get().median() / theirs.get().median());
  }
}
