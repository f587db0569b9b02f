package dev.patchbay.bench;

import dev.patchbay.testkit.ListLog.Listed;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/// Measures plugins in turns, so that what slows the machine down for a while slows all of them.
/// What cannot be measured of a plugin is left out, and said.
final class PeerRace {
  /// Measures something of one plugin that runs.
  private interface Turn {
    void of(PeerStage stage, Ledger<PeerMeasure> ledger) throws IOException, InterruptedException;
  }

  private final List<Peer> peers;
  private final GoClient client;
  private final PeerEffort effort;
  private final PrintStream progress;
  private final SequencedMap<Peer, Ledger<PeerMeasure>> ledgers = new LinkedHashMap<>();
  private final Set<String> remarks = new LinkedHashSet<>();

  private PeerRace(List<Peer> peers, GoClient client, PeerEffort effort, PrintStream progress) {
    this.peers = List.copyOf(peers);
    this.client = client;
    this.effort = effort;
    this.progress = progress;
    peers.forEach(each -> ledgers.put(each, new Ledger<>()));
  }

  /// What was measured, and what could not be.
  record Result(SequencedMap<Peer, Ledger<PeerMeasure>> ledgers, List<String> remarks) {
    Result {
      remarks = List.copyOf(remarks);
    }
  }

  /// Takes as long as the effort says.
  ///
  /// @param progress gets a line now and then
  static Result run(List<Peer> peers, GoClient client, PeerEffort effort, PrintStream progress)
      throws IOException, InterruptedException {
    var race = new PeerRace(peers, client, effort, progress);
    // The first start of each comes with files that are not in memory yet.
    for (int i = 0; i <= effort.starts(); i++) race.starts(i);
    for (int i = 1; i <= effort.lives(); i++) race.life(i);
    for (int i = 1; i <= effort.manyStarts(); i++) race.many(i);
    for (Peer peer : peers) race.ledger(peer).add(PeerMeasure.ON_DISK, peer.bytesOnDisk());
    return new Result(race.ledgers, List.copyOf(race.remarks));
  }

  private Ledger<PeerMeasure> ledger(Peer peer) {
    return ledgers.computeIfAbsent(peer, _ -> new Ledger<>());
  }

  private List<Peer> inTurn(int round) {
    List<Peer> order = new ArrayList<>(peers);
    Collections.rotate(order, round);
    return order;
  }

  private void starts(int round) throws IOException, InterruptedException {
    progress.println("bench-peers: start " + round + " of " + effort.starts());
    for (Peer peer : inTurn(round))
      try (PeerStage stage = PeerStage.open(peer)) {
        Duration took = stage.awaitFirstLists();
        if (round > 0) ledger(peer).add(PeerMeasure.START, took);
      }
  }

  /// All run side by side while nothing happens, as on a node; then one after the other is used.
  private void life(int round) throws IOException, InterruptedException {
    progress.println("bench-peers: life " + round + " of " + effort.lives());
    List<PeerStage> stages = new ArrayList<>();
    try {
      for (Peer peer : inTurn(round)) {
        PeerStage stage = PeerStage.open(peer);
        stages.add(stage);
        stage.awaitAllListed(0);
      }
      idle(stages);
      each(stages, "Allocate", this::allocate);
      each(stages, "kubelet's restart", this::restart);
      each(stages, "device that comes and goes", this::change);
    } finally {
      for (PeerStage stage : stages) stage.close();
    }
  }

  private void idle(List<PeerStage> stages) throws IOException, InterruptedException {
    Thread.sleep(effort.settle());
    List<Duration> before = new ArrayList<>();
    for (PeerStage stage : stages) {
      ledger(stage.peer()).add(PeerMeasure.RESIDENT_IDLE, stage.resident());
      before.add(stage.cpu());
    }
    Thread.sleep(effort.idle());
    for (int i = 0; i < stages.size(); i++) {
      Duration used = stages.get(i).cpu().minus(before.get(i));
      ledger(stages.get(i).peer()).add(PeerMeasure.IDLE_CPU, used);
    }
  }

  private void each(List<PeerStage> stages, String what, Turn turn) throws InterruptedException {
    for (PeerStage stage : stages) {
      progress.println("bench-peers: " + what + " of " + stage.peer().name());
      try {
        turn.of(stage, ledger(stage.peer()));
      } catch (IOException e) {
        remarks.add(stage.peer().name() + ", " + what + ": " + firstLine(e));
        progress.println(stage.peer().name() + ", not measured: " + e.getMessage());
      }
    }
  }

  private static String firstLine(IOException e) {
    return String.valueOf(e.getMessage())
        .lines()
        .findFirst()
        .orElse("")
        .replaceAll("; the log.*", "");
  }

  private void allocate(PeerStage stage, Ledger<PeerMeasure> ledger)
      throws IOException, InterruptedException {
    var times =
        client.allocate(stage.socketOf(stage.resource()), effort.warmUpCalls(), effort.calls());
    ledger.add(PeerMeasure.ALLOCATE_P50, times.p50());
    ledger.add(PeerMeasure.ALLOCATE_P99, times.p99());
    ledger.add(PeerMeasure.ALLOCATE_MAX, times.max());
    ledger.add(PeerMeasure.RESIDENT_USED, stage.resident());
  }

  private void restart(PeerStage stage, Ledger<PeerMeasure> ledger)
      throws IOException, InterruptedException {
    for (int i = 0; i < effort.restarts(); i++) {
      int stream = stage.kubelet().lists().streams();
      stage.kubelet().stop();
      Thread.sleep(effort.down());
      long before = System.nanoTime();
      stage.kubelet().start();
      ledger.add(PeerMeasure.RESTART, stage.awaitAllListed(stream) - before);
    }
  }

  private void change(PeerStage stage, Ledger<PeerMeasure> ledger)
      throws IOException, InterruptedException {
    if (stage.peer().appear().isEmpty() || stage.peer().vanish().isEmpty()) return;
    for (int i = 2; i < 2 + effort.changes(); i++) {
      ledger.add(PeerMeasure.APPEAR, untilList(stage, stage.peer().appear().get(), i));
      ledger.add(PeerMeasure.VANISH, untilList(stage, stage.peer().vanish().get(), i));
    }
  }

  private static Duration untilList(PeerStage stage, List<String> program, int number)
      throws IOException, InterruptedException {
    long before = System.nanoTime();
    stage.execute(program, number);
    return Duration.ofNanos(stage.awaitListAfter(before) - before);
  }

  private void many(int round) throws IOException, InterruptedException {
    progress.println("bench-peers: many devices " + round + " of " + effort.manyStarts());
    for (Peer peer : inTurn(round)) {
      if (peer.many().isEmpty()) continue;
      try (PeerStage stage = PeerStage.openWithMany(peer)) {
        Listed list =
            stage.await(Peer.MANY_RESOURCE, it -> it.devices().size() >= Peer.MANY_DEVICES);
        long registered = stage.kubelet().registrations(Peer.MANY_RESOURCE).getLast().at();
        ledger(peer).add(PeerMeasure.MANY_LIST, list.at() - registered);
        Thread.sleep(effort.settle());
        long few = Statistic.MEDIAN.of(ledger(peer).sorted(PeerMeasure.RESIDENT_IDLE));
        ledger(peer).add(PeerMeasure.MANY_MORE, stage.resident() - few);
      }
    }
  }
}
