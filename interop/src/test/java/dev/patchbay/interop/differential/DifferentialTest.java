package dev.patchbay.interop.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.patchbay.interop.differential.Outcome.CutShort;
import dev.patchbay.interop.differential.Outcome.Differs;
import dev.patchbay.interop.differential.Outcome.Equal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The embedded kubelet does what Kubernetes' own code does, in sequences that nobody thought of.
///
/// The properties `differential.sequences`, `differential.seed` and `differential.seconds` say how
/// many, which ones and for how long at most; `differential.script` names a file with one sequence
/// to be played instead.
@Tag("differential")
final class DifferentialTest {
  private static final int STEPS = 18;
  private static final int PLAYS_TO_SHRINK = Integer.getInteger("differential.shrink", 300);

  /// Of several kinds of differences each is reported, since one often hides another.
  private static final int KINDS_TO_REPORT = 4;

  @TempDir Path logs;
  private Side ours = new Side("none", List.of(), ControlledKubelet.arguments(), Path.of(""));
  private Side theirs = ours;

  @BeforeEach
  void startSides() {
    ours = new Side("ours", Commands.ours(), Commands.ownSettings(), logs.resolve("ours.log"));
    theirs =
        new Side(
            "reference",
            Commands.reference(),
            ControlledKubelet.arguments(),
            logs.resolve("reference.log"));
  }

  @AfterEach
  void endSides() {
    ours.close();
    theirs.close();
  }

  @Test
  void bothKubeletsAreEqualWhateverHappens() throws IOException {
    String script = System.getProperty("differential.script", "");
    if (!script.isEmpty()) {
      Scenario scenario = Scenario.of(Files.readString(Path.of(script)));
      if (play(scenario) instanceof Differs differs)
        fail(report("the script " + script, scenario, differs));
      return;
    }
    String given = System.getProperty("differential.seed", "");
    long seed = given.isEmpty() ? new Random().nextLong(1_000_000_000) : Long.parseLong(given);
    int sequences = Integer.getInteger("differential.sequences", 60);
    long end =
        System.nanoTime() + Duration.ofSeconds(Long.getLong("differential.seconds", 40)).toNanos();
    Map<KnownDifference, Integer> cutShort = new EnumMap<>(KnownDifference.class);
    Map<String, Found> found = new LinkedHashMap<>();
    int played = 0;
    int observations = 0;
    for (; played < sequences && System.nanoTime() < end; played++) {
      Scenario scenario = Generator.scenario(seed + played, STEPS);
      switch (play(scenario)) {
        case Equal(int count) -> observations += count;
        case CutShort(var why, _, _) -> cutShort.merge(why, 1, Integer::sum);
        case Differs differs -> {
          System.out.printf("differential: %s%n", summary("seed " + (seed + played), differs));
          found.putIfAbsent(differs.kind(), new Found(seed + played, scenario, differs));
        }
      }
      if (found.size() == KINDS_TO_REPORT) break;
    }
    List<String> reports = new ArrayList<>();
    for (Found each : found.values()) reports.add(shrunk(each));
    if (!reports.isEmpty()) fail(String.join("\n", reports));
    System.out.printf(
        "differential: %d sequences from seed %d equal in %d observations, cut short %s%n",
        played, seed, observations, cutShort);
    assertThat(observations).as("what was compared").isPositive();
  }

  /// The first sequence with a difference of its kind.
  private record Found(long seed, Scenario scenario, Differs differs) {}

  private Outcome play(Scenario scenario) throws IOException {
    return Duel.play(scenario, ours, theirs);
  }

  private String shrunk(Found found) throws IOException {
    Shrinker.Shrunk shrunk =
        Shrinker.shrink(found.scenario(), found.differs(), PLAYS_TO_SHRINK, this::play);
    return report("seed " + found.seed(), shrunk.scenario(), shrunk.difference());
  }

  private static String report(String of, Scenario scenario, Differs differs) {
    return """
    %s
    ours:      %s
    reference: %s
    script for -Ddifferential.script=FILE:
    %s\
    """
        .formatted(summary(of, differs), differs.ours(), differs.theirs(), scenario.script());
  }

  private static String summary(String of, Differs differs) {
    return "the kubelets differ, %s, after step %d: %s"
        .formatted(of, differs.step(), differs.what());
  }
}
