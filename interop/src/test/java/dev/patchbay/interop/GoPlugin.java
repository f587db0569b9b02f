package dev.patchbay.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A device plugin that is not ours: the sample around the stub of the kubelet's own module, or a
/// public one from the directory that `PEERS` names.
///
/// @param command runs it in the foreground
/// @param resources what it registers
/// @param devices how many each of them has
/// @param usable whether a container can be given them, on this machine
record GoPlugin(
    String name, List<String> command, List<String> resources, int devices, boolean usable) {
  /// The sample, with the nodes `/run/toy0` and `/run/toy1`.
  static GoPlugin sample() {
    return new GoPlugin(
        "sample",
        List.of(
            PrivatePlace.part("sample-plugin"),
            "-resource=a.b/sample",
            "-device=toy0=/run/toy0",
            "-device=toy1=/run/toy1"),
        List.of("a.b/sample"),
        2,
        true);
  }

  /// The sample and all in `PEERS`.
  static List<GoPlugin> all() throws IOException {
    List<GoPlugin> all = new ArrayList<>(List.of(sample()));
    String peers = System.getenv("PEERS");
    if (peers == null || peers.isEmpty()) return all;
    try (Stream<Path> folders = Files.list(Path.of(peers).toAbsolutePath())) {
      folders.filter(Files::isDirectory).sorted().map(GoPlugin::of).forEach(all::add);
    }
    if (all.size() == 1)
      throw new IOException("PEERS is " + peers + ", which has no folder; needed is one a plugin");
    return all;
  }

  private static GoPlugin of(Path folder) {
    Path run = folder.resolve("run");
    Path devices = folder.resolve("devices");
    try {
      if (!Files.isExecutable(run)) throw new IOException(run + " is not a program");
      return new GoPlugin(
          String.valueOf(folder.getFileName()),
          List.of(run.toString()),
          Files.readAllLines(folder.resolve("resources")).stream()
              .filter(line -> !line.isBlank())
              .map(String::strip)
              .toList(),
          Files.exists(devices) ? Integer.parseInt(Files.readString(devices).strip()) : 0,
          Files.exists(devices) && Files.notExists(folder.resolve("list-only")));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "a plugin in PEERS needs the files run and resources: " + folder, e);
    }
  }

  Daemon start(PrivatePlace place) throws IOException {
    return place.start(name, command.toArray(String[]::new));
  }

  @Override
  public String toString() {
    return name;
  }
}
