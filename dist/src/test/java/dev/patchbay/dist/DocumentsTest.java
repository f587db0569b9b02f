package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

final class DocumentsTest {
  private static final Path KEYS =
      Path.of(System.getProperty("patchbay.root", ""), "docs/reference/configuration.md");
  private static final List<CommandSpec> COMMANDS = Commands.of(Commands.read().getCommandSpec());
  @TempDir private Path share = Path.of("/nonexistent");

  @BeforeEach
  void make() throws IOException {
    Documents.main(new String[] {share.toString(), "1.2", "2026-01-01T00:00:00Z", KEYS.toString()});
  }

  @Test
  void everyCommandHasItsPage() throws IOException {
    try (Stream<Path> pages = Files.walk(share.resolve("man")).filter(Files::isRegularFile)) {
      assertThat(pages.map(it -> it.getFileName().toString().replaceAll("\\.[18]$", "")))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(
                      COMMANDS.stream().map(it -> it.qualifiedName("-")),
                      Stream.of("patchbay.yaml.5"))
                  .toList());
    }
  }

  @Test
  void everyPageNamesEveryOptionAndArgumentOfItsCommand() throws IOException {
    for (CommandSpec command : COMMANDS) {
      String page = page(command.qualifiedName("-"));
      for (OptionSpec option : command.options())
        for (String name : option.names())
          assertThat(page).as(command.name()).contains("\\fB" + name.replace("-", "\\-") + "\\fR");
      command
          .positionalParameters()
          .forEach(it -> assertThat(page).contains("\\fI" + it.paramLabel() + "\\fR"));
    }
  }

  @Test
  void aDaemonsPageIsInSectionEight() {
    assertThat(share.resolve("man/man8/patchbay-agent.8")).exists();
    assertThat(share.resolve("man/man1/patchbay-devices.1")).exists();
  }

  @Test
  void thePageOfTheConfigurationHasEveryKey() throws IOException {
    String page = Files.readString(share.resolve("man/man5/patchbay.yaml.5"));
    List<String> keys =
        Files.readString(KEYS)
            .lines()
            .filter(it -> it.startsWith("| `"))
            .map(it -> it.split("`", -1)[1])
            .toList();
    assertThat(keys).hasSizeGreaterThan(30);
    for (String key : keys)
      assertThat(page).contains(".TP\n\\fB" + key.replace("-", "\\-") + "\\fR\n");
    assertThat(page).doesNotContain("](");
  }

  @Test
  void noLineOfTextLooksLikeAMacro() throws IOException {
    try (Stream<Path> pages = Files.walk(share.resolve("man")).filter(Files::isRegularFile)) {
      for (Path page : pages.toList())
        assertThat(Files.readAllLines(page))
            .allSatisfy(line ->
                assertThat(line)
                    .doesNotStartWith("'")
                    .doesNotMatch("\\.(?!(TH|SH|SS|PP|TP|IP|EX|EE|br|in|nh|ad)( |$)).*"));
    }
  }

  @Test
  void theShellsKnowEveryCommandAndOption() throws IOException {
    String bash = Files.readString(share.resolve("bash-completion/completions/patchbay"));
    String zsh = Files.readString(share.resolve("zsh/vendor-completions/_patchbay"));
    String fish = Files.readString(share.resolve("fish/vendor_completions.d/patchbay.fish"));
    for (CommandSpec command : COMMANDS.subList(1, COMMANDS.size())) {
      String name = command.name();
      assertThat(bash).contains("function _picocli_patchbay_" + name + "()");
      assertThat(zsh).contains("  '" + name + ":");
      assertThat(fish).contains(" -a " + name + " ");
      for (OptionSpec option : command.options()) {
        assertThat(bash).contains(option.longestName());
        assertThat(lineOf(zsh, "  " + name + ") ")).contains(")" + option.longestName());
        assertThat(linesWith(fish, "subcommand_from " + name + "'"))
            .contains(" -l " + option.longestName().substring(2));
      }
    }
  }

  @Test
  void theShellsOfferTheFormatsOfOutput() throws IOException {
    assertThat(Files.readString(share.resolve("zsh/vendor-completions/_patchbay")))
        .contains(":FORMAT:(table json yaml)'");
    assertThat(Files.readString(share.resolve("fish/vendor_completions.d/patchbay.fish")))
        .contains("-s o -l output -r -a 'table json yaml'");
  }

  private String page(String name) throws IOException {
    try (Stream<Path> pages = Files.walk(share.resolve("man"))) {
      return Files.readString(
          pages
              .filter(it -> it.toString().matches(".*/" + name + "\\.[18]"))
              .findFirst()
              .orElseThrow());
    }
  }

  private static String lineOf(String text, String start) {
    return text.lines().filter(it -> it.startsWith(start)).findFirst().orElseThrow();
  }

  private static String linesWith(String text, String part) {
    return text.lines().filter(it -> it.contains(part)).collect(Collectors.joining("\n"));
  }
}
