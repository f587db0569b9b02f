package dev.patchbay.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.watch.PathWatch.Targets;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PathWatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(150);

  @TempDir private Path dir = Path.of("/nonexistent");

  @Test
  void noticesEachOfManySocketsThatAreRemovedAndMadeAgain() throws Exception {
    Path socket = dir.resolve("k.sock");
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(dir)))) {
      for (int i = 0; i < 300; i++) {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
          server.bind(UnixDomainSocketAddress.of(socket));
          assertThat(watch.await(PATIENCE)).as("creation %d", i).isTrue();
        }
        Files.delete(socket);
        awaitUntilQuiet(watch, "removal " + i);
      }
    }
  }

  @Test
  void followsADirectoryThatIsRemovedAndMadeAgain() throws Exception {
    Path plugins = Files.createDirectories(dir.resolve("a/b/plugins"));
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(plugins)))) {
      for (int i = 0; i < 200; i++) {
        Files.delete(plugins);
        Files.createDirectory(plugins);
        Path file = Files.createFile(plugins.resolve("file" + i));
        awaitUntilQuiet(watch, "new directory " + i);
        Files.delete(file);
        awaitUntilQuiet(watch, "removal in the new directory " + i);
      }
    }
  }

  @Test
  void followsADirectoryThatIsRenamedAwayAndReplaced() throws Exception {
    Path plugins = Files.createDirectory(dir.resolve("plugins"));
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(plugins)))) {
      for (int i = 0; i < 50; i++) {
        Files.move(plugins, dir.resolve("old" + i));
        Files.createDirectory(plugins);
        awaitUntilQuiet(watch, "replacement " + i);
        Files.createFile(plugins.resolve("new"));
        awaitUntilQuiet(watch, "entry in replacement " + i);
      }
    }
  }

  @Test
  void waitsForDirectoriesThatDoNotExistYet() throws Exception {
    Path deep = dir.resolve("x/y/z");
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(deep)))) {
      assertThat(watch.await(SHORT)).isFalse();
      Files.createDirectories(deep);
      awaitUntilQuiet(watch, "directory");
      Files.createFile(deep.resolve("node"));
      awaitUntilQuiet(watch, "entry");
    }
  }

  @Test
  void seesTheSwapOfAConfigMapsLink() throws Exception {
    Files.createDirectory(dir.resolve("..2026_1"));
    Files.writeString(dir.resolve("..2026_1/patchbay.yaml"), "one");
    Files.createSymbolicLink(dir.resolve("..data"), Path.of("..2026_1"));
    Files.createSymbolicLink(dir.resolve("patchbay.yaml"), Path.of("..data/patchbay.yaml"));
    try (PathWatch watch = PathWatch.open(Targets.ofFile(dir.resolve("patchbay.yaml")))) {
      for (int i = 2; i < 20; i++) {
        Path next = Files.createDirectory(dir.resolve("..2026_" + i));
        Files.writeString(next.resolve("patchbay.yaml"), "text " + i);
        Files.createSymbolicLink(dir.resolve("..data_tmp"), next.getFileName());
        Files.move(
            dir.resolve("..data_tmp"), dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        awaitUntilQuiet(watch, "swap " + i);
      }
      Files.writeString(dir.resolve("..2026_19/patchbay.yaml"), "written in place");
      awaitUntilQuiet(watch, "write after the swaps");
    }
  }

  @Test
  void seesAFileWrittenInPlaceReplacedAndRemovedButNotItsNeighbour() throws Exception {
    Path file = Files.writeString(dir.resolve("f.yaml"), "a");
    try (PathWatch watch = PathWatch.open(Targets.ofFile(file))) {
      Files.writeString(file, "b");
      awaitUntilQuiet(watch, "write");
      Files.move(
          Files.writeString(dir.resolve("tmp"), "c"), file, StandardCopyOption.REPLACE_EXISTING);
      awaitUntilQuiet(watch, "replacement");
      Files.delete(file);
      awaitUntilQuiet(watch, "removal");
      Files.writeString(dir.resolve("neighbour"), "not watched");
      assertThat(watch.await(SHORT)).isFalse();
    }
  }

  @Test
  void writesIntoEntriesOfADirectoryWakeNobody() throws Exception {
    Path node = Files.writeString(dir.resolve("null"), "");
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(dir)))) {
      Files.writeString(node, "written");
      assertThat(watch.await(SHORT)).isFalse();
    }
  }

  @Test
  void watchesOtherPathsWhenRetargeted() throws Exception {
    Path first = Files.createDirectory(dir.resolve("first"));
    Path second = Files.createDirectory(dir.resolve("second"));
    try (PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(first)))) {
      watch.retarget(Targets.ofDirectories(Set.of(second)));
      awaitUntilQuiet(watch, "retarget");
      Files.createFile(first.resolve("f"));
      assertThat(watch.await(SHORT)).isFalse();
      Files.createFile(second.resolve("f"));
      awaitUntilQuiet(watch, "entry in the new target");
    }
  }

  @Test
  void wakesAndEndsAWaitingOwner() throws Exception {
    PathWatch watch = PathWatch.open(Targets.ofDirectories(Set.of(dir)));
    watch.wake();
    assertThat(watch.await(PATIENCE)).isTrue();
    var ended = new CountDownLatch(1);
    Thread owner =
        Thread.ofVirtual()
            .start(() -> {
              try {
                if (!watch.await(PATIENCE)) ended.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    watch.close();
    watch.close();
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    owner.join();
    assertThat(watch.await(PATIENCE)).isFalse();
  }

  @Test
  void leavesNoDescriptorBehind() throws Exception {
    long before = descriptors();
    for (int i = 0; i < 30; i++) PathWatch.open(Targets.ofDirectories(Set.of(dir))).close();
    assertThat(descriptors()).isLessThan(before + 10);
  }

  /// One step may be told in several events: waits for the first and then takes what follows it.
  private static void awaitUntilQuiet(PathWatch watch, String step) throws InterruptedException {
    assertThat(watch.await(PATIENCE)).as(step).isTrue();
    boolean more = true;
    while (more) more = watch.await(Duration.ofMillis(5));
  }

  private static long descriptors() throws IOException {
    try (var entries = Files.list(Path.of("/proc/self/fd"))) {
      return entries.count();
    }
  }
}
