package dev.patchbay.agent.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/// `2026-02-11T09:30:00.123Z WARNING device unhealthy resource=… reason=…`
///
/// Put together by hand: `java.util.Formatter` and `DateTimeFormatter` took longer than all else
/// that an Allocate needs.
final class TextFormat extends Formatter {
  @Override
  public String format(LogRecord record) {
    var line = new StringBuilder(160);
    appendTime(record.getInstant(), line);
    line.append(' ').append(LogOutput.nameOf(record.getLevel()).toUpperCase(Locale.ROOT));
    while (line.length() < COLUMN) line.append(' ');
    String message = formatMessage(record);
    line.append(message.indexOf('\n') < 0 ? message : message.replace("\n", "\\n"));
    return line.append(System.lineSeparator()).append(trace(record)).toString();
  }

  /// Where the message begins: after the time, a space, and the longest level with one.
  private static final int COLUMN = "2026-02-11T09:30:00.123Z WARNING ".length();

  /// Appends `2026-02-11T09:30:00.123Z`.
  static void appendTime(Instant instant, StringBuilder text) {
    LocalDateTime time = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), 0, ZoneOffset.UTC);
    appendDigits(time.getYear(), 4, text);
    appendDigits(time.getMonthValue(), 2, text.append('-'));
    appendDigits(time.getDayOfMonth(), 2, text.append('-'));
    appendDigits(time.getHour(), 2, text.append('T'));
    appendDigits(time.getMinute(), 2, text.append(':'));
    appendDigits(time.getSecond(), 2, text.append(':'));
    appendDigits(instant.getNano() / 1_000_000, 3, text.append('.'));
    text.append('Z');
  }

  private static void appendDigits(int number, int digits, StringBuilder text) {
    int power = 1;
    for (int i = 1; i < digits; i++) power *= 10;
    for (; power > 0; power /= 10) text.append((char) ('0' + number / power % 10));
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
