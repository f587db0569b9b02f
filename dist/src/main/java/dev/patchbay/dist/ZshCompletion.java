package dev.patchbay.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Completions for zsh in its own way, with what each command and option is for (zshcompsys(1),
/// `_arguments`). Picocli's are bash's, which zsh can only emulate.
record ZshCompletion(CommandSpec root) {
  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    lines.add("#compdef " + root.name());
    lines.add("# Completions of %s for zsh.".formatted(root.name()));
    lines.add("local context state state_descr line");
    lines.add("typeset -A opt_args");
    lines.add("local -a commands=(");
    for (CommandSpec command : Commands.below(root))
      lines.add("  " + quoted(command.name() + ":" + summary(command).replace(":", "\\:")));
    lines.add(")");
    List<String> words = arguments(root);
    words.addAll(List.of("'1:command:->command'", "'*::argument:->arguments'"));
    lines.add("_arguments -C " + String.join(" ", words));
    lines.add("case $state in");
    lines.add("command) _describe -t commands command commands ;;");
    lines.add("arguments)");
    lines.add("  case $words[1] in");
    for (CommandSpec command : Commands.below(root))
      lines.add(
          "  %s) _arguments %s ;;".formatted(command.name(), String.join(" ", arguments(command))));
    lines.add("  esac ;;");
    lines.add("esac");
    return String.join("\n", lines) + "\n";
  }

  private static String summary(CommandSpec command) {
    return Commands.summary(command.usageMessage().description());
  }

  private static List<String> arguments(CommandSpec command) {
    List<String> words = new ArrayList<>();
    for (OptionSpec option : Commands.optionsOf(command))
      Stream.of(option.names()).sorted().forEach(name -> words.add(option(name, option)));
    for (ArgSpec argument : command.positionalParameters())
      words.add(quoted("1" + value(argument)));
    return words;
  }

  private static String option(String name, OptionSpec option) {
    String others = "(" + String.join(" ", option.names()) + ")";
    String summary =
        Commands.summary(option.description())
            .replace("\\", "\\\\")
            .replace("[", "\\[")
            .replace("]", "\\]");
    if (Commands.isFlag(option)) return quoted(others + name + "[" + summary + "]");
    String separator = name.startsWith("--") ? "=" : "+";
    return quoted(others + name + separator + "[" + summary + "]" + value(option));
  }

  private static String value(ArgSpec argument) {
    List<String> choices = Commands.choicesOf(argument);
    String action = Commands.isPath(argument) ? "_files" : " ";
    if (!choices.isEmpty()) action = "(" + String.join(" ", choices) + ")";
    return ":" + argument.paramLabel() + ":" + action;
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
