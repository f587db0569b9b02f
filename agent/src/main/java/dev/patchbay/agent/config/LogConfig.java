package dev.patchbay.agent.config;

/// Settings of the config section `log`.
///
/// @param format how a line looks
/// @param level the least important lines that are written
public record LogConfig(Format format, System.Logger.Level level) {
  /// Text, from INFO on.
  public static final LogConfig DEFAULTS = new LogConfig(Format.TEXT, System.Logger.Level.INFO);

  /// How a line looks.
  public enum Format {
    /// For people: time, level, words, `key=value`.
    TEXT,
    /// One JSON object for each line, with the keys as members.
    JSON
  }
}
