package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random checkpoints: what is written is read, and what is not what was written is never taken for
/// it.
class CheckpointPropertyTest {
  private static final int RUNS = 12;

  @TempDir private Path dir;

  /// `-Dpatchbay.seed=N` runs that seed alone.
  static IntStream seeds() {
    Integer one = Integer.getInteger("patchbay.seed");
    return one == null ? IntStream.range(0, RUNS) : IntStream.of(one);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsWrittenIsRead(int seed) throws IOException {
    var random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      Checkpoint checkpoint = checkpoint(random);

      assertThat(CheckpointFormat.read(text(CheckpointFormat.write(checkpoint))))
          .as("seed %d, checkpoint %d", seed, i)
          .isEqualTo(checkpoint);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noPartOfAFileIsTakenForAFile(int seed) {
    byte[] whole = CheckpointFormat.write(checkpoint(new Random(seed)));

    for (int length = 0; length < whole.length; length++)
      assertThat(read(new String(whole, 0, length, StandardCharsets.UTF_8)))
          .as("seed %d, %d of %d bytes", seed, length, whole.length)
          .isEmpty();
  }

  /// A flip in base64's unused bits changes nothing that is read.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aFlippedBitIsFoundOrChangesNothing(int seed) {
    Checkpoint checkpoint = checkpoint(new Random(seed));
    byte[] whole = CheckpointFormat.write(checkpoint);

    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Optional<Checkpoint> read = readBytes(flipped);
      if (read.isPresent())
        assertThat(withoutEmptyParts(read.get()))
            .as("seed %d, bit %d", seed, bit)
            .isEqualTo(withoutEmptyParts(checkpoint));
    }
  }

  /// A process can be killed before or after each step: a new file half written under another name,
  /// and the old one under its own.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aKillAtAnyByteLeavesTheOldFileOrTheNewOne(int seed) throws IOException {
    var random = new Random(seed);
    Checkpoint old = checkpoint(random);
    byte[] next = CheckpointFormat.write(checkpoint(random));
    var file = new CheckpointFile(dir);
    file.write(old);
    Path temporary = dir.resolve(".123456");
    for (int length = 0; length <= next.length; length++) {
      byte[] part = java.util.Arrays.copyOf(next, length);
      Files.write(temporary, part);
      assertThat(new CheckpointFile(dir).read()).as("seed %d", seed).contains(old);
    }
    Files.delete(temporary);

    file.write(next);

    assertThat(new CheckpointFile(dir).read()).contains(CheckpointFormat.read(text(next)));
    try (Stream<Path> left = Files.list(dir)) {
      assertThat(left).as("no half file is left").hasSize(1);
    }
  }

  private static Optional<Checkpoint> readBytes(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    return java.util.Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)
        ? read(text)
        : Optional.empty();
  }

  private static Optional<Checkpoint> read(String text) {
    try {
      return Optional.of(CheckpointFormat.read(text));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// Where a key's name is damaged its part is absent, which counts as empty.
  private static Checkpoint withoutEmptyParts(Checkpoint checkpoint) {
    return new Checkpoint(
        checkpoint.entries() == null || checkpoint.entries().isEmpty()
            ? null
            : checkpoint.entries(),
        checkpoint.registered() == null || checkpoint.registered().isEmpty()
            ? null
            : checkpoint.registered());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Checkpoint checkpoint(Random random) {
    List<Checkpoint.Entry> entries = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      byte[] answer = new byte[random.nextInt(12)];
      random.nextBytes(answer);
      SortedMap<Long, @Nullable List<String>> devices = new TreeMap<>();
      for (int node = random.nextInt(3); node > 0; node--)
        devices.put((long) random.nextInt(12) - 1, names(random));
      entries.add(
          new Checkpoint.Entry(
              name(random),
              name(random),
              name(random),
              devices,
              Base64.getEncoder().encodeToString(answer)));
    }
    SortedMap<String, @Nullable List<String>> registered = new TreeMap<>();
    for (int i = random.nextInt(3); i > 0; i--) registered.put(name(random), names(random));
    return new Checkpoint(entries.isEmpty() ? null : List.copyOf(entries), registered);
  }

  private static List<String> names(Random random) {
    return IntStream.range(0, random.nextInt(4)).mapToObj(_ -> name(random)).toList();
  }

  private static String name(Random random) {
    String letters = "abcXYZ019-./\"\\\n\té\u20ac";
    var name = new StringBuilder();
    for (int i = 1 + random.nextInt(8); i > 0; i--)
      name.append(letters.charAt(random.nextInt(letters.length())));
    return name.toString();
  }
}
