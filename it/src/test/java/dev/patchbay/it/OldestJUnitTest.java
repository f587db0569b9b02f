package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The guide's test runs on the oldest JUnit that the test kit promises to work with, too.
final class OldestJUnitTest {
  private static final Path JUNIT =
      Repository.ROOT.resolve("it/target/junit-5.10/junit-platform-console-standalone.jar");

  @Test
  void theGuidesTestRunsOnJUnit510() throws Exception {
    assertThat(JUNIT).as("the build copies it").isRegularFile();
    Path log = Repository.ROOT.resolve("it/target/junit-5.10/run.txt");
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--select-class=dev.patchbay.sdk.example.FusePluginTest",
                "--disable-banner",
                "--disable-ansi-colors",
                "--details=summary")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it ended in time").isTrue();
      assertThat(log)
          .content(StandardCharsets.UTF_8)
          .contains("[         6 tests successful      ]", "[         0 tests failed          ]");
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /// Ours without the JUnit that the build uses.
  private static String classPath() {
    String ours =
        Arrays.stream(
                Objects.requireNonNull(System.getProperty("java.class.path"))
                    .split(File.pathSeparator, -1))
            .filter(each -> !each.matches(".*/junit-(jupiter|platform)[^/]*\\.jar"))
            .collect(Collectors.joining(File.pathSeparator));
    return String.join(
        File.pathSeparator,
        JUNIT.toString(),
        Repository.ROOT.resolve("sdk/target/test-classes").toString(),
        ours);
  }
}
