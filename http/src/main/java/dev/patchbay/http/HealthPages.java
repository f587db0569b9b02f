package dev.patchbay.http;

import dev.patchbay.http.Page.Answer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Checks as the components of Kubernetes show them: `/healthz` says `ok`, or which check fails;
/// `/healthz?verbose` says of each how it is; `/healthz/<name>` is one check alone. A check that
/// fails makes the status 500.
public final class HealthPages {
  private final SequencedMap<String, Supplier<Optional<String>>> checks = new LinkedHashMap<>();

  /// Pages with one check, `ping`, which says that somebody answers.
  public HealthPages() {
    checks.put("ping", Optional::empty);
  }

  /// Adds a check. Before the pages are served.
  ///
  /// @param problem what is wrong, empty when nothing is; must not wait for anybody
  public HealthPages with(String name, Supplier<Optional<String>> problem) {
    checks.put(name, problem);
    return this;
  }

  /// The pages by path.
  public Map<String, Page> pages() {
    Map<String, Page> pages = new TreeMap<>();
    pages.put("/healthz", query -> answer(checks, query));
    checks.forEach((name, check) -> {
      SequencedMap<String, Supplier<Optional<String>>> alone = new LinkedHashMap<>();
      alone.put(name, check);
      pages.put("/healthz/" + name, query -> answer(alone, query));
    });
    return pages;
  }

  private static Answer answer(
      SequencedMap<String, Supplier<Optional<String>>> checks, Query query) {
    var text = new StringBuilder();
    boolean passed = true;
    for (Map.Entry<String, Supplier<Optional<String>>> check : checks.entrySet()) {
      Optional<String> problem = check.getValue().get();
      passed &= problem.isEmpty();
      text.append(problem.isEmpty() ? "[+]" : "[-]").append(check.getKey());
      text.append(problem.map(why -> " failed: " + oneLine(why)).orElse(" ok")).append('\n');
    }
    if (passed && !query.has("verbose")) return Answer.text(200, "ok");
    text.append(passed ? "healthz check passed\n" : "healthz check failed\n");
    return Answer.text(passed ? 200 : 500, text.toString());
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }
}
