package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real process that does nothing but write checkpoints is killed in the middle of it, again and
/// again.
class CheckpointKillTest {
  private static final String RESOURCE = "vendor.example/gpu";
  private static final int KILLS = 3;

  @TempDir private Path dir;

  @Test
  void theFileIsWholeHoweverOftenItsWriterIsKilled() throws Exception {
    var random = new Random(Long.getLong("patchbay.seed", 1));
    for (int kill = 0; kill < KILLS; kill++) {
      int before = number().orElse(-1);
      Process writer = writer(before + 1);
      try {
        int enough = before + 20 + random.nextInt(20);
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(2))
            .until(() -> number().filter(now -> now > enough).isPresent());
      } finally {
        writer.destroyForcibly();
      }
      assertThat(writer.waitFor(20, TimeUnit.SECONDS)).isTrue();

      int last = number().orElseThrow();

      assertThat(number()).as("nothing is put aside").contains(last);
      try (Stream<Path> files = Files.list(dir)) {
        assertThat(files.map(each -> String.valueOf(each.getFileName())))
            .as("beside it there are drafts at most")
            .allMatch(name -> name.equals(CheckpointFile.NAME) || name.matches("\\.\\d+"));
      }
    }
  }

  /// The number of the checkpoint in the file; fails when its content is not that of the number.
  private Optional<Integer> number() {
    Optional<Checkpoint> found = new CheckpointFile(dir).read();
    if (found.isEmpty()) return Optional.empty();
    List<Checkpoint.Entry> entries = found.get().entries();
    int number = Integer.parseInt(Objects.requireNonNull(entries).getFirst().podUid());
    assertThat(found).contains(checkpoint(number));
    return Optional.of(number);
  }

  private Process writer(int from) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName(),
            dir.toString(),
            String.valueOf(from))
        .inheritIO()
        .start();
  }

  /// Each number has its own content and its own length.
  private static Checkpoint checkpoint(int number) {
    List<String> ids =
        IntStream.range(0, number * 37 % 500).mapToObj(i -> number + "-" + i).toList();
    var devices = new TreeMap<Long, @Nullable List<String>>();
    devices.put(-1L, ids);
    var registered = new TreeMap<String, @Nullable List<String>>();
    registered.put(RESOURCE, ids);
    return new Checkpoint(
        List.of(new Checkpoint.Entry(String.valueOf(number), "main", RESOURCE, devices, "")),
        registered);
  }

  /// The process that is killed.
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      var file = new CheckpointFile(Path.of(args[0]));
      for (int number = Integer.parseInt(args[1]); ; number++) file.write(checkpoint(number));
    }
  }
}
