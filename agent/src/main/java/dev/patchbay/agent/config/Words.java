package dev.patchbay.agent.config;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/// Words of the configuration and what they mean, in the order in which they are shown.
final class Words {
  private Words() {}

  static <T> SequencedMap<String, T> of(String first, T meansFirst, String second, T meansSecond) {
    SequencedMap<String, T> words = new LinkedHashMap<>();
    words.put(first, meansFirst);
    words.put(second, meansSecond);
    return words;
  }

  static <T> SequencedMap<String, T> of(
      String first, T a, String second, T b, String third, T c, String fourth, T d) {
    SequencedMap<String, T> words = of(first, a, second, b);
    words.putAll(of(third, c, fourth, d));
    return words;
  }
}
