package dev.patchbay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The agent's words are read by Picocli or without it, with one result.
final class AgentCommandTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--config a.yaml",
        "--config=a.yaml",
        "--config=a=b.yaml --host-root h",
        "--kubelet-dir k/l --host-root=/host --config /etc/patchbay.yaml",
        "--embedded-kubelet",
        "--kubelet-dir k --embedded-kubelet",
      })
  void plainWordsMeanWhatPicocliTakesThemFor(String line) {
    assertThat(AgentCommand.readPlainly(words(line)))
        .hasValueSatisfying(
            plain -> assertThat(plain.values()).isEqualTo(byPicocli(line).values()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "--config",
        "--config=",
        "--config --host-root",
        "--config a --config b",
        "--config a --config=b",
        "--config @file",
        "--config \"a\"",
        "--config 'a'",
        "--embedded-kubelet=false",
        "--embedded-kubelet --embedded-kubelet",
        "--no-such x",
        "@file",
        "word",
        "-- --config a",
      })
  void anythingElseIsLeftToPicocli(String line) {
    assertThat(AgentCommand.readPlainly(words(line))).isEmpty();
  }

  private static List<String> words(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(" ", -1));
  }

  private static AgentCommand byPicocli(String line) {
    var nowhere = new PrintWriter(new StringWriter());
    List<String> all = new ArrayList<>(List.of("agent"));
    all.addAll(words(line));
    return Patchbay.commandLine(nowhere, nowhere)
                .parseArgs(all.toArray(String[]::new))
                .subcommand()
                .commandSpec()
                .userObject()
            instanceof AgentCommand agent
        ? agent
        : new AgentCommand();
  }
}
