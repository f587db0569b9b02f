package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.LogCapture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFileTest {
  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay.kubelet");

  @TempDir private Path dir = Path.of("/nonexistent");

  @Test
  void whatWasWrittenIsRead() throws IOException {
    var devices = new TreeMap<Long, List<String>>();
    devices.put(-1L, List.of("a"));
    devices.put(3L, List.of("b", "ü"));
    var registered = new TreeMap<String, List<String>>();
    registered.put("v.example/gpu", List.of("a", "b", "ü"));
    var checkpoint =
        new Checkpoint(
            List.of(new Checkpoint.Entry("uid", "main", "v.example/gpu", devices, "CgQKAUESAA==")),
            registered);

    new CheckpointFile(dir).write(checkpoint);

    assertThat(new CheckpointFile(dir).read()).contains(checkpoint);
    assertThat(files()).containsExactly("kubelet_internal_checkpoint");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void aWriteMakesTheDirectory() throws IOException {
    new CheckpointFile(dir.resolve("a/b")).write(nothing());

    assertThat(new CheckpointFile(dir.resolve("a/b")).read()).contains(nothing());
  }

  @Test
  void noFileIsNoCheckpoint() {
    assertThat(new CheckpointFile(dir).read()).isEmpty();
    assertThat(log.lines()).isEmpty();
  }

  @Test
  void aCorruptFileIsPutAsideWithAMessage() throws IOException {
    Files.writeString(file(), "{\"Data\":{},\"Checksum\":7}");

    assertThat(new CheckpointFile(dir).read()).isEmpty();

    assertThat(log.lines())
        .containsExactly(
            "SEVERE checkpoint not used, starting without allocations file="
                + file()
                + " reason=checkpoint is corrupted: its checksum is 7, of its content 2932075448");
    assertThat(files()).containsExactly(".kubelet_internal_checkpoint.unusable");
    assertThat(dir.resolve(".kubelet_internal_checkpoint.unusable"))
        .hasContent("{\"Data\":{},\"Checksum\":7}");
  }

  @Test
  void aFileThatIsNoTextIsPutAside() throws IOException {
    Files.write(file(), "{\"Data\":\"\u00fc\"}".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(new CheckpointFile(dir).read()).isEmpty();

    assertThat(log.lines())
        .containsExactly(
            "SEVERE checkpoint not used, starting without allocations file="
                + file()
                + " reason=not UTF-8");
    assertThat(files()).containsExactly(".kubelet_internal_checkpoint.unusable");
  }

  @Test
  void aCheckpointThatCannotBeReadIsNamedWithTheReason() throws IOException {
    Files.createDirectory(file());

    assertThat(new CheckpointFile(dir).read()).isEmpty();

    assertThat(log.lines())
        .singleElement()
        .asString()
        .startsWith("SEVERE checkpoint unreadable file=" + file() + " reason=")
        .contains("Is a directory");
  }

  @Test
  void aWriteThatFailsLeavesTheOldFileAndNothingElse() throws IOException {
    Files.createDirectory(file());
    Files.writeString(file().resolve("occupied"), "");

    assertThatThrownBy(() -> new CheckpointFile(dir).write(nothing()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("failed to write checkpoint file \"kubelet_internal_checkpoint\": ")
        .hasMessageContaining(file().toString());

    assertThat(files()).containsExactly("kubelet_internal_checkpoint");
  }

  @Test
  void aWriteWhereThereCanBeNoDirectorySaysSo() throws IOException {
    Files.writeString(dir.resolve("plain"), "");

    assertThatThrownBy(() -> new CheckpointFile(dir.resolve("plain")).write(nothing()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "failed to write checkpoint file \"kubelet_internal_checkpoint\":"
                + " java.nio.file.FileAlreadyExistsException: "
                + dir.resolve("plain"));
  }

  @Test
  void anInterruptDoesNotSpoilAWrite() throws IOException {
    Thread.currentThread().interrupt();
    try {
      new CheckpointFile(dir).write(nothing());
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }

    assertThat(new CheckpointFile(dir).read()).contains(nothing());
  }

  private static Checkpoint nothing() {
    return new Checkpoint(null, new TreeMap<>());
  }

  private Path file() {
    return dir.resolve(CheckpointFile.NAME);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(dir)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }
}
