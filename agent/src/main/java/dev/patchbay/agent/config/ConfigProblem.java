package dev.patchbay.agent.config;

/// Something wrong in a configuration file.
///
/// @param file as it was named
/// @param line counted from 1; 0 when the file as a whole is meant
/// @param column counted from 1; 0 when the file as a whole is meant
/// @param key where in the file: `drivers.device-node.devices[0].name`; empty for the whole
/// @param message what was found and what is needed
public record ConfigProblem(String file, int line, int column, String key, String message) {
  /// `agent.yaml:3:5: log.level: "loud" is none of debug, info, warning, error`.
  @Override
  public String toString() {
    String place = line == 0 ? file : file + ":" + line + ":" + column;
    return place + ": " + (key.isEmpty() ? "" : key + ": ") + message;
  }
}
