package dev.patchbay.bench.kubelet;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One row of what was measured beside each other.
///
/// @param what the work, and what it was done with
/// @param ours empty when it could not be measured
/// @param theirs empty when it could not be measured, or would take too long
/// @param aim what ours should be under; empty without an aim
record KubeletFigure(
    String what,
    Optional<String> why,
    Optional<Long> ours,
    Optional<Long> theirs,
    String unit,
    String aim) {
  /// A table in Markdown.
  static String table(List<KubeletFigure> figures) {
    var text =
        new StringBuilder(
            "| work | ours | upstream | ours / upstream | aim: under |\n| --- | --- | --- | --- | --- |\n");
    for (KubeletFigure figure : figures)
      text.append(
          "| %s | %s | %s | %s | %s |\n"
              .formatted(
                  figure.what,
                  figure.show(figure.ours),
                  figure.show(figure.theirs),
                  figure.ratio(),
                  figure.aim));
    List<String> missing = new ArrayList<>();
    for (KubeletFigure figure : figures)
      figure.why.ifPresent(why -> missing.add("- " + figure.what + ": " + why));
    if (!missing.isEmpty())
      text.append("\nNot measured:\n\n").append(String.join("\n", missing)).append("\n");
    return text.toString();
  }

  private String show(Optional<Long> value) {
    return value
        .map(it ->
            unit.equals("KiB")
                ? String.format(Locale.ROOT, "%.1f MiB", it / 1024.0)
                : String.format(Locale.ROOT, "%.2f ms", it / 1000.0))
        .orElse("–");
  }

  private String ratio() {
    if (ours.isEmpty() || theirs.isEmpty() || theirs.get() == 0) return "–";
    return String.format(Locale.ROOT, "%.3f", (double) ours.get() / theirs.get());
  }
}
