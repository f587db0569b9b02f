package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The distribution's start script, as users and pods start it.
class StartScriptTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private final Path home = Path.of(System.getProperty("patchbay.home", ""));
  private final Path script = home.resolve("bin/patchbay");
  private final List<Process> started = new ArrayList<>();
  @TempDir Path folder;

  @BeforeEach
  void distributionIsBuilt() {
    assumeThat(script).as("mvn verify and ./patchbay build the distribution").exists();
  }

  @AfterEach
  void endProcesses() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void startsThroughALinkToALinkFromAnotherFolder() throws Exception {
    Path first = Files.createSymbolicLink(folder.resolve("first"), script);
    Path second = Files.createSymbolicLink(folder.resolve("with space"), first.getFileName());
    Outcome outcome = run(second, "", "--version");
    assertThat(outcome.status()).isZero();
    assertThat(outcome.out()).startsWith("patchbay 0").contains("Java 25");
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void wrongUsageIsStatusTwoAndOnStandardErrorAlone() throws Exception {
    Outcome outcome = run(script, "", "devices", "--no-such-option");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("--no-such-option");
  }

  @Test
  void everyKindOfProcessHasACacheThatItsJvmAccepts() throws Exception {
    for (String command : List.of("agent", "kubelet", "devices"))
      assertThat(run(script, "-XX:AOTMode=on", command, "--help").status()).as(command).isZero();
  }

  @Test
  void aMovedDistributionStillUsesItsCache() throws Exception {
    Path moved = folder.resolve("a folder");
    Process copy = start(new ProcessBuilder("cp", "-a", home.toString(), moved.toString()));
    assertThat(copy.waitFor()).isZero();
    assertThat(run(moved.resolve("bin/patchbay"), "-XX:AOTMode=on", "--version").status()).isZero();
  }

  @Test
  void optionsOfTheUserWinOverOurs() throws Exception {
    Outcome outcome = run(script, "-Xmx77m -XX:+PrintFlagsFinal -Xlog:disable -version", "agent");
    assertThat(outcome.out()).containsPattern("MaxHeapSize += " + (78L << 20) + " ");
  }

  @Test
  void aKubeletAndAnAgentMeetAndEndWithStatusZero() throws Exception {
    Path kubeletDir = folder.resolve("k");
    Path config =
        Files.writeString(
            folder.resolve("agent.yaml"),
            """
            version: 1
            drivers:
              device-node:
                devices:
                  - name: nothing
                    groups: [{paths: [{path: /dev/null}]}]
            """);
    Process kubelet = start("kubelet", "--dir", kubeletDir.toString());
    Process agent =
        start("agent", "--config", config.toString(), "--kubelet-dir", kubeletDir.toString());
    Path state = kubeletDir.resolve("state.json");
    await("the node's resources")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> Files.readString(state).contains("\"patchbay.dev/nothing\" : 1"));
    for (Process process : List.of(agent, kubelet)) {
      process.destroy();
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }
    try (var left = Files.list(kubeletDir.resolve("device-plugins"))) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .noneMatch(name -> name.startsWith("pb-"));
    }
  }

  private record Outcome(int status, String out, String err) {}

  private Outcome run(Path program, String javaOptions, String... arguments) throws Exception {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    ProcessBuilder builder =
        builder(program, arguments).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("PATCHBAY_JAVA_OPTS", javaOptions);
    Process process = start(builder);
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private Process start(String... arguments) throws IOException {
    Path log = Files.createTempFile(folder, arguments[0], ".log");
    return start(builder(script, arguments).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  private Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private ProcessBuilder builder(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(folder.toFile());
  }
}
