package dev.patchbay.cli;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigProblem;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.host.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/// `--config` and `--host-root`: which configuration on which machine.
final class MachineOptions {
  private static final String CONFIG = "--config";
  private static final String HOST_ROOT = "--host-root";

  @Option(
      names = CONFIG,
      paramLabel = "FILE",
      description = "the configuration; without it the built-in one holds")
  private Optional<Path> config = Optional.empty();

  @Option(
      names = HOST_ROOT,
      paramLabel = "PATH",
      defaultValue = "/",
      description =
          "where the host's /sys, /proc and /dev are, or an archive made by capture (default: ${DEFAULT-VALUE})")
  private Path hostRoot = Path.of("/");

  Optional<Path> configFile() {
    return config;
  }

  Path hostRoot() {
    return hostRoot;
  }

  /// Sets the option with this name, where Picocli does not do it.
  ///
  /// @return false when there is none
  boolean set(String name, String value) {
    switch (name) {
      case CONFIG -> config = Optional.of(Path.of(value));
      case HOST_ROOT -> hostRoot = Path.of(value);
      default -> {
        return false;
      }
    }
    return true;
  }

  AgentConfig readConfig() throws WrongConfiguration {
    if (config.isEmpty()) return ConfigReader.defaults();
    return switch (ConfigFile.read(config.get())) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong ->
          throw new WrongConfiguration(
              config.get() + " cannot be used",
              wrong.problems().stream().map(ConfigProblem::toString).toList());
    };
  }

  HostRoot openHost() throws IOException {
    return HostRoot.of(hostRoot);
  }
}
