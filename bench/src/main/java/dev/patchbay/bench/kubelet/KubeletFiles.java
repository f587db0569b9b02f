package dev.patchbay.bench.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Where a measured kubelet has its files and sockets.
///
/// @param root on a file system in memory where there is one: a disk's own time would hide what is
///   measured. The paths of sockets have to be short
record KubeletFiles(Path root) implements AutoCloseable {
  static KubeletFiles create() throws IOException {
    Path shared = Path.of("/dev/shm");
    Path place = Files.isWritable(shared) ? shared : Path.of("/tmp");
    var files = new KubeletFiles(Files.createTempDirectory(place, "pb"));
    Files.createDirectory(files.plugins());
    Files.createDirectory(files.state());
    return files;
  }

  Path plugins() {
    return root.resolve("device-plugins");
  }

  Path state() {
    return root.resolve("state");
  }

  Path podResources() {
    return root.resolve("pods.sock");
  }

  Path log() {
    return root.resolve("log");
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(root)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) Files.deleteIfExists(file);
  }
}
