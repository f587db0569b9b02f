package dev.patchbay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessFactsTest {
  private static final List<String> STATUS =
      List.of("Name:\tjava", "VmHWM:\t   70000 kB", "VmRSS:\t   65536 kB", "RssAnon:\t   1024 kB");

  @Test
  void readsMemoryAndTimeAlsoOfAProgramWithAnOddName() throws IOException {
    String stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 7 5 0 0 20 0 30 0 1000 1 1 1\n";

    assertThat(ProcessFacts.parse(STATUS, stat))
        .isEqualTo(
            new ProcessFacts(65536L << 10, 1024 << 10, 70000L << 10, Duration.ofMillis(120)));
  }

  @Test
  void aProcessThatEndedHasNoMemory() {
    assertThatThrownBy(() -> ProcessFacts.parse(List.of("Name:\tjava", "State:\tZ"), "1 (j) Z"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("VmRSS");
  }

  @Test
  void readsThisProcess() throws IOException {
    ProcessFacts facts = ProcessFacts.of(ProcessHandle.current().pid());

    assertThat(facts.residentBytes()).isBetween(facts.anonymousBytes(), facts.peakBytes());
    assertThat(facts.cpu()).isPositive();
  }
}
