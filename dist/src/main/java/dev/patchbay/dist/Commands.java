package dev.patchbay.dist;

import dev.patchbay.cli.Patchbay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The commands as the command line describes them.
final class Commands {
  private Commands() {}

  static CommandLine read() {
    return new CommandLine(Patchbay.class);
  }

  /// A command and all below it, in their order.
  static List<CommandSpec> of(CommandSpec root) {
    List<CommandSpec> all = new ArrayList<>(List.of(root));
    for (CommandSpec each : below(root)) all.addAll(of(each));
    return all;
  }

  static List<CommandSpec> below(CommandSpec command) {
    return command.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .distinct()
        .filter(it -> !it.usageMessage().hidden())
        .toList();
  }

  /// A command's options, in the order of their long names.
  static List<OptionSpec> optionsOf(CommandSpec command) {
    return command.options().stream()
        .filter(it -> !it.hidden())
        .sorted(Comparator.comparing(OptionSpec::longestName))
        .toList();
  }

  /// Whether an option is a word of its own, without a value.
  static boolean isFlag(OptionSpec option) {
    return option.arity().max() == 0;
  }

  /// The values that an option or argument may have, none where there is no list of them.
  static List<String> choicesOf(ArgSpec argument) {
    if (!typeOf(argument).isEnum()) return List.of();
    return Stream.of(typeOf(argument).getEnumConstants())
        .map(it -> ((Enum<?>) it).name().toLowerCase(Locale.ROOT))
        .toList();
  }

  static boolean isPath(ArgSpec argument) {
    return typeOf(argument) == Path.class;
  }

  private static Class<?> typeOf(ArgSpec argument) {
    Class<?>[] inside = argument.typeInfo().getAuxiliaryTypes();
    return inside.length == 1 ? inside[0] : argument.typeInfo().getType();
  }

  /// The first line of its description, without a full stop.
  static String summary(String... description) {
    String first = description.length == 0 ? "" : description[0].split("%n|\n", 2)[0].strip();
    return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
  }
}
