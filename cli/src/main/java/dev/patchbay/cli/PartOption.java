package dev.patchbay.cli;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigParts;
import dev.patchbay.agent.config.ConfigProblem;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Option;

/// `--group`: which configuration of a file that holds several.
final class PartOption {
  @Option(
      names = "--group",
      paramLabel = "NAME",
      description =
          "which configuration, when FILE holds several: a node group of the chart's values, or NAME/KEY of a ConfigMap")
  private Optional<String> group = Optional.empty();

  /// The configuration that is meant.
  ///
  /// @param file the agent's own, a manifest or the chart's values; without it the built-in one
  ///   holds
  AgentConfig choose(Optional<Path> file) throws WrongConfiguration {
    if (file.isEmpty()) return ConfigReader.defaults();
    ConfigParts found = ConfigFile.readParts(file.get());
    return switch (Objects.requireNonNull(found.parts().get(chosen(file.get(), found)))) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong ->
          throw new WrongConfiguration(
              file.get() + " cannot be used",
              wrong.problems().stream().map(ConfigProblem::toString).toList());
    };
  }

  private String chosen(Path file, ConfigParts found) throws WrongConfiguration {
    List<String> names = List.copyOf(found.parts().sequencedKeySet());
    if (group.isEmpty() && names.size() == 1) return names.getFirst();
    if (group.filter(names::contains).isPresent()) return group.get();
    String there = names.equals(List.of("")) ? "it is one by itself" : String.join(", ", names);
    throw new WrongConfiguration(
        group
            .map(name -> file + " has no configuration " + name + ": " + there)
            .orElse(file + " has several configurations; needed is --group with one of " + there),
        List.of());
  }
}
