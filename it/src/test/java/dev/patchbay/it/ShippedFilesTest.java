package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.it.Shipped.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is shipped beside the program, and read by people and by systemd.
final class ShippedFilesTest {
  private static final Path HOME = Path.of(System.getProperty("patchbay.home", ""));
  @TempDir private Path folder = Path.of("/nonexistent");

  @Test
  void theExampleConfigurationIsTheBuiltInOne() throws Exception {
    ConfigReading reading = ConfigFile.read(HOME.resolve("etc/patchbay.yaml"));
    assertThat(reading).isEqualTo(new ConfigReading.Valid(ConfigReader.defaults()));
  }

  @Test
  void whatTheExampleShowsInCommentsIsValidToo() throws Exception {
    String example = Files.readString(HOME.resolve("etc/patchbay.yaml"));
    String all =
        example
            .replace("kubevirt: {}", "kubevirt:")
            .replaceAll("(?m)^( *)# ( *(?:[a-z-]+:|- ).*)$", "$1$2");
    assertThat(all).contains("\nlog:\n", "\n      - name: capture\n");
    assertThat(ConfigReader.read("example", all)).isInstanceOf(ConfigReading.Valid.class);
  }

  @Test
  void theUnitStartsTheAgentWithOptionsThatItHas() throws Exception {
    String unit = Files.readString(HOME.resolve("share/systemd/patchbay.service"));
    List<String> start =
        List.of(
            unit.lines()
                .filter(it -> it.startsWith("ExecStart="))
                .findFirst()
                .orElseThrow()
                .substring("ExecStart=".length())
                .split(" ", -1));
    assertThat(HOME.resolve("bin").resolve(start.getFirst())).isExecutable();
    assertThat(start).containsSubsequence("agent", "--config");

    Ended help = Shipped.run(folder.resolve("log"), start.get(1), "--help");
    assertThat(help.output()).contains("--config");
    assertThat(help.status()).isZero();
  }

  @Test
  void thereIsAManualPageOfTheAgentAndOfItsConfiguration() {
    assertThat(HOME.resolve("share/man/man8/patchbay-agent.8")).isNotEmptyFile();
    assertThat(HOME.resolve("share/man/man5/patchbay.yaml.5")).isNotEmptyFile();
  }
}
