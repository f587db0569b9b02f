package dev.patchbay.cluster;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A taint of a node.
///
/// @param value may be empty
/// @param effect `NoSchedule`, `PreferNoSchedule` or `NoExecute`
public record NodeTaint(String key, String value, String effect) {
  private static final Pattern TEXT = Pattern.compile("([^=:]+)(?:=([^=:]*))?:([A-Za-z]+)");
  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

  public NodeTaint {
    if (!EFFECTS.contains(effect))
      throw new IllegalArgumentException(
          "taint " + key + " has the effect \"" + effect + "\"; needed is one of " + EFFECTS);
  }

  /// Reads `KEY=VALUE:EFFECT` or `KEY:EFFECT`.
  ///
  /// @throws IllegalArgumentException when it is none; says so
  public static NodeTaint of(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches())
      throw new IllegalArgumentException(
          "\"" + text + "\" is no taint; needed is KEY=VALUE:EFFECT or KEY:EFFECT");
    String value = parts.group(2);
    return new NodeTaint(parts.group(1), value == null ? "" : value, parts.group(3));
  }
}
