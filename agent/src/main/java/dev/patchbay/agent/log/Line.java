package dev.patchbay.agent.log;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A log line taken apart: `device unhealthy resource=a.b/c reason=node /dev/x is gone` has the
/// words `device unhealthy` and two fields. A value goes up to the next ` key=`, or is quoted.
///
/// @param words what happened, always the same for the same kind of event
/// @param fields what it happened to
record Line(String words, SequencedMap<String, String> fields) {
  private static final Pattern KEY = Pattern.compile("(?:^|\\s)([a-z][a-zA-Z-]*)=");

  /// Possessive: what goes back takes a stack frame for each character, and texts can be long.
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");

  static Line parse(String text) {
    Matcher key = KEY.matcher(text);
    SequencedMap<String, String> fields = new LinkedHashMap<>();
    if (!key.find()) return new Line(text, fields);
    String words = text.substring(0, key.start());
    boolean more = true;
    while (more) {
      String name = key.group(1);
      int from = key.end();
      Matcher quoted = QUOTED.matcher(text).region(from, text.length());
      if (quoted.lookingAt()) {
        fields.putIfAbsent(name, quoted.group(1).replaceAll("\\\\(.)", "$1"));
        more = key.find(quoted.end());
      } else {
        more = key.find();
        fields.putIfAbsent(name, text.substring(from, more ? key.start() : text.length()).strip());
      }
    }
    return new Line(words, fields);
  }
}
