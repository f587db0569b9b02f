package dev.patchbay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The whole benchmark on a small scale, with the agent of the class path in both parts.
final class RaceTest {
  private static final Effort SMALL =
      new Effort(
          1,
          1,
          Duration.ofMillis(100),
          Duration.ofMillis(100),
          10,
          20,
          2,
          2,
          Duration.ofMillis(50),
          1,
          500);

  @Test
  void measuresEverythingOfEveryCandidateAndReportsIt() throws Exception {
    String classPath = Objects.requireNonNull(System.getProperty("java.class.path"));
    Candidate one = Candidate.java("one", classPath, "-XX:TieredStopAtLevel=1");
    Candidate other = Candidate.java("other", classPath, "-XX:TieredStopAtLevel=1", "-Xmx64m");
    var progress = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);

    var ledgers = Race.run(List.of(one, other), SMALL, progress);

    ledgers.forEach((candidate, ledger) -> {
      for (Measure measure : Measure.values())
        assertThat(ledger.sorted(measure))
            .as("%s of %s", measure, candidate.name())
            .isNotEmpty()
            .isSorted();
      assertThat(ledger.sorted(Measure.ALLOCATE)).hasSize(20);
      assertThat(ledger.sorted(Measure.APPEARANCE)).hasSize(2);
      assertThat(ledger.sorted(Measure.RESTART)).hasSize(2);
      assertThat(ledger.sorted(Measure.KILL)).hasSize(2);
    });
    var report = new Report(LocalDate.EPOCH, Machine.here(), SMALL, ledgers);
    String[] labels =
        Stream.of(Measure.values()).map(it -> SMALL.fill(it.label())).toArray(String[]::new);
    assertThat(report.asText()).contains(labels).contains("one / other").doesNotContain("{");
    assertThat(report.asMarkdown()).contains(labels).contains("| one | other |");
  }
}
