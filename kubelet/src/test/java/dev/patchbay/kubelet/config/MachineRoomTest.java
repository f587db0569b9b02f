package dev.patchbay.kubelet.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.host.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachineRoomTest {
  @TempDir private Path dir = Path.of("");

  @Test
  void theStorageIsThatOfTheNearestDirectory() throws IOException {
    assertThat(read(dir.resolve("not/there/yet")).capacity())
        .containsEntry("ephemeral-storage", Files.getFileStore(dir).getTotalSpace());
  }

  @Test
  void aFileSystemThatDoesNotSayItsSizeIsNoStorage() throws IOException {
    assertThat(read(Path.of("/proc/self")).capacity())
        .containsKeys("cpu", "memory")
        .doesNotContainKey("ephemeral-storage");
  }

  private static MachineRoom read(Path storage) throws IOException {
    return MachineRoom.read(HostRoot.of(Path.of("/")), storage);
  }
}
