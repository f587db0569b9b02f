package dev.patchbay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ConfigFileTest {
  private final BlockingQueue<AgentConfig> read = new LinkedBlockingQueue<>();
  @TempDir Path dir;

  @Test
  void aFileThatIsWrittenAgainIsRead() throws Exception {
    Path file = write(dir.resolve("c.yaml"), 10);
    try (var _ = ConfigFile.watch(file, read::add)) {
      write(file, 20);
      awaitRescan(20);
      replace(file, 30);
      awaitRescan(30);
    }
  }

  /// As the kubelet does it, `pkg/volume/util/atomic_writer.go`: a new directory, a new link beside
  /// the old one and renamed over it, the old directory removed.
  @Test
  void everySwapOfAConfigMapsLinkIsRead() throws Exception {
    Path now = Files.createDirectory(dir.resolve("..2026_02_11_09_30_00.1"));
    write(now.resolve("c.yaml"), 10);
    Files.createSymbolicLink(dir.resolve("..data"), now.getFileName());
    Path file = Files.createSymbolicLink(dir.resolve("c.yaml"), Path.of("..data/c.yaml"));
    try (var _ = ConfigFile.watch(file, read::add)) {
      for (int seconds = 20; seconds <= 40; seconds += 10) {
        Path next = Files.createDirectory(dir.resolve("..2026_02_11_09_30_" + seconds + ".2"));
        write(next.resolve("c.yaml"), seconds);
        Files.createSymbolicLink(dir.resolve("..data_tmp"), next.getFileName());
        Files.move(
            dir.resolve("..data_tmp"), dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(now.resolve("c.yaml"));
        Files.delete(now);
        now = next;
        awaitRescan(seconds);
      }
    }
    assertThat(read).isEmpty();
  }

  @Test
  void aFileThatIsWrongOrGoneChangesNothing() throws Exception {
    Path file = write(dir.resolve("c.yaml"), 10);
    try (var _ = ConfigFile.watch(file, read::add)) {
      Files.writeString(file, "version: 1\nrescan-evry: 1s\n");
      Files.delete(file);
      Files.writeString(file, "");
      replace(file, 30);
      awaitRescan(30);
    }
    assertThat(read).isEmpty();
  }

  @Test
  void aFileThatSaysTheSameIsNotApplied() throws Exception {
    Path file = write(dir.resolve("c.yaml"), 10);
    try (var watched = ConfigFile.watch(file, read::add)) {
      replace(file, 10);
      watched.reload();
      replace(file, 20);
      awaitRescan(20);
    }
    assertThat(read).isEmpty();
  }

  @Test
  void aFileThatCannotBeReadIsAProblemWithItsName() throws IOException {
    Path missing = dir.resolve("none.yaml");
    assertThat(ConfigFile.read(missing))
        .isInstanceOfSatisfying(
            ConfigReading.Wrong.class,
            wrong ->
                assertThat(wrong.problems().getFirst())
                    .hasToString(missing + ": cannot be read: there is no such file"));
    Path binary = Files.write(dir.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThat(ConfigFile.read(binary))
        .isInstanceOfSatisfying(
            ConfigReading.Wrong.class,
            wrong -> assertThat(wrong.problems().getFirst().message()).contains("not UTF-8"));
  }

  private void awaitRescan(int seconds) throws InterruptedException {
    AgentConfig config = read.poll(20, TimeUnit.SECONDS);
    assertThat(config).isNotNull();
    assertThat(config.rescanEvery()).isEqualTo(Duration.ofSeconds(seconds));
  }

  private static Path write(Path file, int seconds) throws IOException {
    return Files.writeString(file, "version: 1\nrescan-every: " + seconds + "s\n");
  }

  private void replace(Path file, int seconds) throws IOException {
    Path draft = write(dir.resolve(".draft"), seconds);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
