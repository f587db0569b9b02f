package dev.patchbay.interop.differential;

import dev.patchbay.interop.differential.Outcome.Differs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Makes a scenario that shows a difference smaller, as long as the smaller one still shows a
/// difference of the same kind.
final class Shrinker {
  private final Play play;
  private Scenario smallest;
  private Differs seen;
  private int playsLeft;

  /// Plays a scenario once.
  @FunctionalInterface
  interface Play {
    Outcome of(Scenario scenario) throws IOException;
  }

  /// The smallest found, with what it shows.
  record Shrunk(Scenario scenario, Differs difference) {}

  private Shrinker(Play play, Scenario scenario, Differs seen, int plays) {
    this.play = play;
    this.smallest = scenario;
    this.seen = seen;
    playsLeft = plays;
  }

  /// @param plays how many scenarios may be played for it
  static Shrunk shrink(Scenario scenario, Differs seen, int plays, Play play) throws IOException {
    var shrinker = new Shrinker(play, scenario, seen, plays);
    shrinker.dropWhatComesAfter();
    boolean smaller = true;
    while (smaller && shrinker.playsLeft > 0) {
      smaller = shrinker.dropSteps();
      smaller |= shrinker.simplifySettings();
      smaller |= shrinker.simplifySteps();
    }
    return new Shrunk(shrinker.smallest, shrinker.seen);
  }

  private boolean takes(Scenario candidate) throws IOException {
    if (playsLeft-- <= 0) return false;
    if (!(play.of(candidate) instanceof Differs now) || !seen.isLike(now)) return false;
    smallest = candidate;
    seen = now;
    dropWhatComesAfter();
    return true;
  }

  private void dropWhatComesAfter() {
    List<Step> steps = smallest.steps();
    smallest = smallest.with(steps.subList(0, Math.min(steps.size(), seen.step() + 1)));
  }

  private boolean dropSteps() throws IOException {
    boolean smaller = false;
    for (int size = Math.max(1, smallest.steps().size() / 2); size >= 1; size /= 2)
      for (int from = smallest.steps().size() - size; from >= 0; from -= size) {
        if (from + size > smallest.steps().size()) continue;
        List<Step> rest = new ArrayList<>(smallest.steps());
        rest.subList(from, from + size).clear();
        smaller |= takes(smallest.with(rest));
      }
    return smaller;
  }

  private boolean simplifySettings() throws IOException {
    for (Settings simpler : smallest.settings().simpler())
      if (takes(new Scenario(smallest.machine(), simpler, smallest.steps()))) return true;
    return false;
  }

  private boolean simplifySteps() throws IOException {
    boolean smaller = false;
    for (int at = smallest.steps().size() - 1; at >= 0; at--) {
      boolean again = true;
      while (again) {
        again = false;
        if (at >= smallest.steps().size()) break;
        for (Step simpler : smallest.steps().get(at).simpler()) {
          List<Step> steps = new ArrayList<>(smallest.steps());
          steps.set(at, simpler);
          if (takes(smallest.with(steps))) {
            smaller = true;
            again = true;
            break;
          }
        }
      }
    }
    return smaller;
  }
}
