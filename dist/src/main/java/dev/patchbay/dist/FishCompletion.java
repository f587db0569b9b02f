package dev.patchbay.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Completions for the shell fish, which Picocli does not make (fish's manual, `complete`).
record FishCompletion(CommandSpec root) {
  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    String name = root.name();
    lines.add("# Completions of %s for fish.".formatted(name));
    lines.add("complete -c %s -f".formatted(name));
    String none = "-n __fish_use_subcommand";
    for (OptionSpec option : Commands.optionsOf(root)) lines.add(option(none, option));
    for (CommandSpec command : Commands.below(root)) {
      String summary = Commands.summary(command.usageMessage().description());
      lines.add(
          "complete -c %s %s -a %s -d %s".formatted(name, none, command.name(), quoted(summary)));
    }
    for (CommandSpec command : Commands.below(root)) {
      String inside = "-n '__fish_seen_subcommand_from " + command.name() + "'";
      for (OptionSpec option : Commands.optionsOf(command)) lines.add(option(inside, option));
      for (ArgSpec argument : command.positionalParameters())
        lines.add("complete -c %s %s%s".formatted(name, inside, values(argument)));
    }
    return String.join("\n", lines) + "\n";
  }

  private String option(String where, OptionSpec option) {
    String names =
        List.of(option.names()).stream()
            .map(it -> it.startsWith("--") ? " -l " + it.substring(2) : " -s " + it.substring(1))
            .collect(Collectors.joining());
    String value = Commands.isFlag(option) ? "" : " -r" + values(option);
    String summary = quoted(Commands.summary(option.description()));
    return "complete -c " + root.name() + " " + where + names + value + " -d " + summary;
  }

  private static String values(ArgSpec argument) {
    List<String> choices = Commands.choicesOf(argument);
    if (!choices.isEmpty()) return " -a '" + String.join(" ", choices) + "'";
    return Commands.isPath(argument) ? " -F" : "";
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
