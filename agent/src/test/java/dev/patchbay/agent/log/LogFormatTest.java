package dev.patchbay.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class LogFormatTest {
  private static final Instant NOW = Instant.parse("2026-02-11T09:30:00.123456Z");

  @Test
  void textIsTimeLevelAndTheLine() {
    assertThat(new TextFormat().format(record(Level.WARNING, "device unhealthy resource=a.b/c")))
        .isEqualTo("2026-02-11T09:30:00.123Z WARNING device unhealthy resource=a.b/c\n");
  }

  @Test
  void aLineStaysALine() {
    assertThat(new TextFormat().format(record(Level.INFO, "what reason=one\ntwo")))
        .isEqualTo("2026-02-11T09:30:00.123Z INFO    what reason=one\\ntwo\n");
  }

  @Test
  void jsonHasTheFieldsAsMembers() {
    assertThat(
            new JsonFormat()
                .format(
                    record(
                        Level.SEVERE,
                        "pod refused pod=default/x message=\"say \\\"no\\\"\" reason=node /dev/x is gone")))
        .isEqualTo(
            "{\"time\":\"2026-02-11T09:30:00.123Z\",\"level\":\"error\",\"logger\":\"dev.patchbay.x\","
                + "\"msg\":\"pod refused\",\"pod\":\"default/x\",\"message\":\"say \\\"no\\\"\",\"reason\":\"node /dev/x is gone\"}\n");
  }

  @Test
  void jsonIsAlwaysOneLineOfValidText() {
    String line = new JsonFormat().format(record(Level.INFO, "odd value=\u0001\n\t\"\\\ud800"));

    assertThat(line.strip()).doesNotContain("\n").contains("\\u0001\\n\\t\\\"\\\\\\ud800");
  }

  @Test
  void anErrorBringsItsTrace() {
    LogRecord record = record(Level.SEVERE, "driver failed");
    record.setThrown(new IllegalStateException("why"));

    assertThat(new TextFormat().format(record)).contains("IllegalStateException: why", "\tat ");
    assertThat(new JsonFormat().format(record)).contains("\"trace\":\"java.lang.Illegal");
  }

  @Test
  void aValueMayBeAsLongAsWhatComesOverASocket() {
    String said = "no \\\"x\\\" ".repeat(100_000);

    assertThat(Line.parse("pod refused message=\"" + said + "\" pod=p").fields())
        .isEqualTo(Map.of("message", said.replace("\\", ""), "pod", "p"));
  }

  @Test
  void aLineIsTakenApartAtItsKeys() {
    Line line = Line.parse("words here a=1 b=two words c=\"x y\" d=");

    assertThat(line.words()).isEqualTo("words here");
    assertThat(line.fields()).isEqualTo(Map.of("a", "1", "b", "two words", "c", "x y", "d", ""));
    assertThat(Line.parse("no keys").fields()).isEmpty();
  }

  private static LogRecord record(Level level, String message) {
    var record = new LogRecord(level, message);
    record.setInstant(NOW);
    record.setLoggerName("dev.patchbay.x");
    return record;
  }
}
