package dev.patchbay.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Measures candidates in turns, so that what slows the machine down for a while slows all of them.
final class Race {
  /// Measures one candidate once.
  private interface Turn {
    void of(Candidate candidate, Ledger<Measure> ledger) throws IOException, InterruptedException;
  }

  private final List<Candidate> candidates;
  private final Effort effort;
  private final PrintStream progress;
  private final SequencedMap<Candidate, Ledger<Measure>> ledgers = new LinkedHashMap<>();

  private Race(List<Candidate> candidates, Effort effort, PrintStream progress) {
    this.candidates = candidates;
    this.effort = effort;
    this.progress = progress;
    candidates.forEach(each -> ledgers.put(each, new Ledger<>()));
  }

  /// Takes as long as the effort says.
  ///
  /// @param progress gets a line now and then
  /// @return the samples, in the order of the candidates
  static SequencedMap<Candidate, Ledger<Measure>> run(
      List<Candidate> candidates, Effort effort, PrintStream progress)
      throws IOException, InterruptedException {
    var race = new Race(candidates, effort, progress);
    race.rehearse();
    race.turns("start", effort.starts(), race::start);
    race.turns("start with many devices", effort.manyStarts(), race::startWithMany);
    race.turns(
        "life", effort.lives(), (candidate, ledger) -> Life.measure(candidate, effort, ledger));
    return race.ledgers;
  }

  /// What happens for the first time, in this program or with the page cache, counts for nobody.
  private void rehearse() throws IOException, InterruptedException {
    progress.println("bench: rehearsal");
    for (Candidate candidate : candidates)
      Life.measure(candidate, effort.rehearsal(), new Ledger<>());
  }

  private void turns(String what, int count, Turn turn) throws IOException, InterruptedException {
    List<Map.Entry<Candidate, Ledger<Measure>>> order = new ArrayList<>(ledgers.entrySet());
    for (int i = 1; i <= count; i++) {
      progress.println("bench: " + what + " " + i + " of " + count);
      for (var each : order) turn.of(each.getKey(), each.getValue());
      // Nobody is always the one who comes after the other.
      Collections.rotate(order, 1);
    }
  }

  private void start(Candidate candidate, Ledger<Measure> ledger)
      throws IOException, InterruptedException {
    try (Stage stage = Stage.open(candidate, Scenario.eightResources())) {
      ledger.add(Measure.START, stage.awaitFirstLists());
    }
  }

  private void startWithMany(Candidate candidate, Ledger<Measure> ledger)
      throws IOException, InterruptedException {
    Scenario many = Scenario.manyDevices(effort.manyDevices());
    try (Stage stage = Stage.open(candidate, many)) {
      ledger.add(Measure.MANY_START, stage.awaitFirstLists());
      Thread.sleep(effort.settle());
      ledger.add(Measure.MANY_RESIDENT, stage.agent().facts().residentBytes());
    }
  }
}
