package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The checkpoint's disk is full: a real file system of 64 KiB. Where none can be mounted, the
/// tests are reported as skipped, with the reason; a directory that became unusable is tested
/// everywhere.
class FullDiskTest {
  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay.kubelet");

  private Path disk = Path.of("/nonexistent");

  @BeforeEach
  void makeMountPoint() throws IOException {
    disk = Files.createTempDirectory(Path.of("/tmp"), "pbd");
  }

  @AfterEach
  void removeMountPoint() throws Exception {
    if (!Files.exists(disk)) return;
    run("umount", disk.toString());
    Files.delete(disk);
  }

  @Test
  void aPodIsRefusedAndTheOldCheckpointStaysWhole() throws Exception {
    mountSmallDisk();
    try (KubeletSide kubelet = KubeletSide.startedIn(Files.createDirectory(disk.resolve("k")))) {
      kubelet.registered(GPU, "a", "b");
      kubelet.settled().admit(pod("before", 1));
      String whole = Files.readString(kubelet.directory().resolve(CheckpointFile.NAME));
      Path filler = disk.resolve("filler");
      fill(filler);

      assertThat(kubelet.refusal(pod("p", 1)))
          .isEqualTo(
              "UnexpectedAdmissionError: Allocate failed due to failed to write checkpoint file"
                  + " \"kubelet_internal_checkpoint\": No space left on device, which is"
                  + " unexpected");

      assertThat(kubelet.manager().held()).containsOnlyKeys("before");
      assertThat(filesOf(kubelet)).containsExactly("gpu.sock", "kubelet.sock", CheckpointFile.NAME);
      assertThat(kubelet.directory().resolve(CheckpointFile.NAME)).hasContent(whole);
      assertThat(log.lines())
          .contains(
              "SEVERE checkpoint not written reason=failed to write checkpoint file"
                  + " \"kubelet_internal_checkpoint\": No space left on device");

      Files.delete(filler);
      kubelet.admit(pod("q", 1));
      assertThat(kubelet.restart().held()).containsOnlyKeys("before", "q");
    }
  }

  @Test
  void aListCountsThoughItCannotBeWritten() throws Exception {
    mountSmallDisk();
    try (KubeletSide kubelet = KubeletSide.startedIn(Files.createDirectory(disk.resolve("k")))) {
      ScriptedPlugin plugin = kubelet.registered(GPU, "a");
      kubelet.settled();
      fill(disk.resolve("filler"));

      plugin.list("a", "b", "c");

      kubelet.awaitAllocatable(GPU, 3);
      assertThat(kubelet.counts(GPU)).isEqualTo("3/3");
    }
  }

  @Test
  void aDirectoryThatBecameUnusableRefusesThePodToo() throws Exception {
    try (KubeletSide kubelet = KubeletSide.started()) {
      kubelet.registered(GPU, "a");
      kubelet.settled();
      Path away = kubelet.directory().resolveSibling("away");
      Files.move(kubelet.directory(), away);
      Files.createSymbolicLink(kubelet.directory(), kubelet.directory());

      assertThat(kubelet.refusal(pod("p", 1)))
          .startsWith(
              "UnexpectedAdmissionError: Allocate failed due to failed to write checkpoint file"
                  + " \"kubelet_internal_checkpoint\": ")
          .contains(kubelet.directory().toString());
      assertThat(kubelet.manager().held()).isEmpty();

      Files.delete(kubelet.directory());
      Files.move(away, kubelet.directory());
      kubelet.admit(pod("q", 1));
    }
  }

  private void mountSmallDisk() throws Exception {
    String problem = run("mount", "-t", "tmpfs", "-o", "size=64k", "none", disk.toString());
    assumeTrue(problem.isEmpty(), "no file system of 64 KiB can be mounted here: " + problem);
  }

  /// @return what the command complained of; empty when it did what it says
  private static String run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!process.waitFor(20, TimeUnit.SECONDS)) return "still running after 20 s";
    return process.exitValue() == 0 ? "" : "exit status " + process.exitValue() + ": " + output;
  }

  private static void fill(Path file) throws IOException {
    try (var stream = new FileOutputStream(file.toFile())) {
      while (true) stream.write(new byte[512]);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left on device");
    }
  }

  private static List<String> filesOf(KubeletSide kubelet) throws IOException {
    try (Stream<Path> files = Files.list(kubelet.directory())) {
      return files.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }
}
