package dev.patchbay.agent.config;

import java.util.List;

/// What became of a configuration file.
public sealed interface ConfigReading {
  /// It says this.
  record Valid(AgentConfig config) implements ConfigReading {}

  /// It cannot be used, for these reasons: all that could be found, in the order of the file.
  record Wrong(List<ConfigProblem> problems) implements ConfigReading {
    public Wrong {
      problems = List.copyOf(problems);
    }
  }
}
