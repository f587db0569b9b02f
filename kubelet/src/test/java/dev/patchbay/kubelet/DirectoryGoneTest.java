package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// The device plugin directory is taken away under a running kubelet. As with the real one, plugins
/// that are connected go on and the checkpoint comes back with its next write, but not the socket:
/// nobody can register until the kubelet starts again, and its health says so.
class DirectoryGoneTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();

  @Test
  void whoIsConnectedGoesOnAndTheCheckpointComesBack() throws IOException {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b", "c");
    kubelet.settled().admit(pod("before", 1));
    removeDirectory();

    kubelet.admit(pod("after", 1));

    assertThat(files()).containsExactly(CheckpointFile.NAME);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kubelet.directory())))
        .isEqualTo("rwxr-xr-x");
    removeDirectory();
    plugin.list("a", "b", "c", "d");
    kubelet.awaitAllocatable(GPU, 4);
    kubelet.settled();
    assertThat(files()).containsExactly(CheckpointFile.NAME);
    assertThat(kubelet.restart().held()).containsOnlyKeys("before", "after");
  }

  @Test
  void nobodyCanRegisterUntilTheKubeletStartsAgain() throws IOException {
    kubelet.registered(GPU, "a");
    kubelet.settled();
    assertThat(kubelet.manager().problem()).isEmpty();
    removeDirectory();

    assertThat(kubelet.manager().problem())
        .contains(
            "device registration error: device plugin registration gRPC server failed and no device"
                + " plugins can register: "
                + kubelet.directory().resolve("kubelet.sock")
                + " was removed, or another file is in its place");
    kubelet.admit(pod("p", 1));
    assertThat(kubelet.manager().problem()).as("with the directory alone").isPresent();
    assertThatThrownBy(() -> kubelet.registered(NIC, "x"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("kubelet.sock");

    Kubelet stopped = kubelet.manager();
    kubelet.restart().sourcesReady(true);
    assertThat(stopped.problem()).as("one that was stopped has none").isEmpty();
    assertThat(kubelet.manager().problem()).isEmpty();
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
  }

  @Test
  void aDirectoryThatComesBackIsAsBefore() throws IOException {
    Path away = kubelet.directory().resolveSibling("away");
    Files.move(kubelet.directory(), away);
    assertThat(kubelet.manager().problem()).isPresent();

    Files.move(away, kubelet.directory());

    assertThat(kubelet.manager().problem()).isEmpty();
    kubelet.registered(GPU, "a");
  }

  /// A second kubelet in the same directory takes the socket over, as the real one would.
  @Test
  void aSocketThatAnotherKubeletMadeIsNotThisOnes() throws IOException {
    try (var other = new Kubelet(kubelet.manager().settings(), kubelet.clock)) {
      other.start(List.of());

      assertThat(kubelet.manager().problem()).isPresent();
      assertThat(other.problem()).isEmpty();
      kubelet.manager().close();
      assertThat(kubelet.directory().resolve("kubelet.sock"))
          .as("it is not the first one's to remove")
          .exists();
    }
  }

  private void removeDirectory() throws IOException {
    try (Stream<Path> files = Files.list(kubelet.directory())) {
      for (Path file : files.toList()) Files.delete(file);
    }
    Files.delete(kubelet.directory());
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(kubelet.directory())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
