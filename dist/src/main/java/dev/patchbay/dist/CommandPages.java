package dev.patchbay.dist;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// A manual page for each command, from what its help page is made of.
///
/// @param root the command with all others below it
/// @param date of the pages, as `2026-01-01`
record CommandPages(CommandSpec root, String date, String version) {
  // What is started by the system and not by users: section 8, "system administration commands".
  private static final Set<String> DAEMONS = Set.of("agent", "kubelet");

  /// The pages by their file names, as `patchbay-agent.8`.
  SortedMap<String, String> all() {
    SortedMap<String, String> pages = new TreeMap<>();
    for (CommandSpec command : Commands.of(root)) {
      pages.put(nameOf(command) + "." + sectionOf(command), page(command));
    }
    return pages;
  }

  private static String nameOf(CommandSpec command) {
    return command.qualifiedName("-");
  }

  private static int sectionOf(CommandSpec command) {
    return DAEMONS.contains(command.name()) ? 8 : 1;
  }

  private String page(CommandSpec command) {
    ManPage page = ManPage.of(nameOf(command), sectionOf(command), date, version);
    List<String> description = lines(command.usageMessage().description());
    page.section("NAME").paragraph(nameOf(command) + " - " + lowerFirst(description.getFirst()));
    page.section("SYNOPSIS").paragraph(synopsis(command));
    page.section("DESCRIPTION");
    description.forEach(page::paragraph);
    lines(command.usageMessage().footer()).stream()
        .filter(it -> !it.isEmpty())
        .forEach(page::paragraph);
    List<PositionalParamSpec> parameters = command.positionalParameters();
    if (!parameters.isEmpty()) page.section("ARGUMENTS");
    for (PositionalParamSpec each : parameters)
      page.item("_" + each.paramLabel() + "_", lines(each.description()));
    page.section("OPTIONS");
    Commands.optionsOf(command).forEach(it -> page.item(names(it), lines(it.description())));
    if (!Commands.below(command).isEmpty()) page.section("COMMANDS");
    for (CommandSpec each : Commands.below(command))
      page.item(
          "**" + nameOf(each) + "**(" + sectionOf(each) + ")",
          lines(each.usageMessage().description()));
    commonEnd(page, command);
    return page.toString();
  }

  private void commonEnd(ManPage page, CommandSpec command) {
    page.section("EXIT STATUS");
    for (Map.Entry<String, String> each : root.usageMessage().exitCodeList().entrySet())
      page.item(each.getKey(), List.of(each.getValue() + "."));
    page.section("ENVIRONMENT")
        .item(
            "`PATCHBAY_JAVA_OPTS`",
            List.of(
                "Options for the Java virtual machine, which win over those of the start script."))
        .item(
            "`PATCHBAY_DEBUG`",
            List.of("When set, an unexpected failure is shown with its stack trace."));
    page.section("SEE ALSO");
    List<String> others = new ArrayList<>(List.of("**patchbay.yaml**(5)"));
    for (CommandSpec each : Commands.of(root))
      if (!each.equals(command)) others.add("**" + nameOf(each) + "**(" + sectionOf(each) + ")");
    others.sort(null);
    page.paragraph(String.join(", ", others));
  }

  private static String synopsis(CommandSpec command) {
    List<String> words = new ArrayList<>(List.of("**" + command.qualifiedName(" ") + "**"));
    for (OptionSpec option : Commands.optionsOf(command))
      words.add(option.required() ? names(option) : "[" + names(option) + "]");
    command.positionalParameters().forEach(it -> words.add("_" + it.paramLabel() + "_"));
    if (!Commands.below(command).isEmpty()) words.add("_COMMAND_");
    return String.join(" ", words);
  }

  private static String names(OptionSpec option) {
    String label = Commands.isFlag(option) ? "" : "=_" + option.paramLabel() + "_";
    List<String> names =
        Stream.of(option.names())
            .sorted(Comparator.comparingInt(String::length))
            .map(it -> "**" + it + "**")
            .toList();
    return String.join(", ", names) + label;
  }

  /// Picocli's texts have `%n` for the end of a line and `%%` for a percent sign.
  private static List<String> lines(String... texts) {
    return Arrays.stream(texts)
        .flatMap(it -> Arrays.stream(it.replace("%n", "\n").replace("%%", "%").split("\n", -1)))
        .filter(it -> !it.isBlank())
        .toList();
  }

  private static String lowerFirst(String sentence) {
    String lower = sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
