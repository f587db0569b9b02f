package dev.patchbay.agent.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/// `2026-02-11T09:30:00.123Z WARNING device unhealthy resource=… reason=…`
final class TextFormat extends Formatter {
  static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  @Override
  public String format(LogRecord record) {
    String level = LogOutput.nameOf(record.getLevel()).toUpperCase(java.util.Locale.ROOT);
    String line =
        "%s %-7s %s%n"
            .formatted(
                TIME.format(record.getInstant()),
                level,
                formatMessage(record).replace("\n", "\\n"));
    return line + trace(record);
  }

  /// The stack trace: of an error, or when details are asked for.
  static String trace(LogRecord record) {
    Throwable thrown = record.getThrown();
    if (thrown == null || record.getLevel().intValue() < Level.SEVERE.intValue()) return "";
    var text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
