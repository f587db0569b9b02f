package dev.patchbay.agent.log;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/// One JSON object in a line: `time`, `level`, `logger`, `msg` and the line's fields, all text.
final class JsonFormat extends Formatter {
  @Override
  public String format(LogRecord record) {
    Line line = Line.parse(formatMessage(record));
    SequencedMap<String, String> members = new LinkedHashMap<>();
    var time = new StringBuilder();
    TextFormat.appendTime(record.getInstant(), time);
    members.put("time", time.toString());
    members.put("level", LogOutput.nameOf(record.getLevel()));
    members.put("logger", String.valueOf(record.getLoggerName()));
    members.put("msg", line.words());
    line.fields().forEach(members::putIfAbsent);
    String trace = TextFormat.trace(record);
    if (!trace.isEmpty()) members.put("trace", trace);
    var json = new StringBuilder("{");
    members.forEach((name, value) -> {
      if (json.length() > 1) json.append(',');
      quote(name, json);
      json.append(':');
      quote(value, json);
    });
    return json.append("}\n").toString();
  }

  private static void quote(String text, StringBuilder json) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> {
          if (c < 0x20 || (Character.isSurrogate(c) && !paired(text, i)))
            json.append("\\u%04x".formatted((int) c));
          else json.append(c);
        }
      }
    }
    json.append('"');
  }

  private static boolean paired(String text, int at) {
    return Character.isHighSurrogate(text.charAt(at))
        ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
        : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
  }
}
