package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A plugin that is compared with others: ours, or one written in Go.
///
/// @param name how it is called where figures are shown
/// @param isOurs whether it is the agent of this project
/// @param command runs it in the foreground. `{kubelet}` stands for the kubelet's directory and
///   `{host}` for a host root; a plugin without `{kubelet}` looks at `/var/lib/kubelet` and runs in
///   a mount namespace in which its own directory lies there
/// @param many the same with 10,000 devices of [#MANY_RESOURCE]; empty where it cannot
/// @param config what is written to `{host}/agent.yaml` before it starts
/// @param resources that it registers
/// @param appear makes a device; `{number}` stands for its number
/// @param vanish takes it away
/// @param files what is installed of it
record Peer(
    String name,
    boolean isOurs,
    List<String> command,
    List<String> many,
    String config,
    Set<String> resources,
    Optional<List<String>> appear,
    Optional<List<String>> vanish,
    List<Path> files) {
  static final int MANY_DEVICES = 10_000;
  static final String MANY_RESOURCE = "bench.example/many";

  private static final String HEAD = "version: 1\ndrivers:\n";
  private static final List<String> VIRTUAL_MACHINES =
      List.of("kvm", "tun", "vhost-net", "vhost-vsock", "fuse");

  Peer {
    command = List.copyOf(command);
    many = List.copyOf(many);
    resources = Set.copyOf(resources);
    files = List.copyOf(files);
  }

  /// Our agent with the one family and the one resource of two devices that a Go plugin has.
  static Peer oursWithOneFamily(Path distribution) {
    return ours("ours, one family", distribution, HEAD + deviceNodes(1), namesOf(1));
  }

  /// Our agent with every family, eight resources of files and those of virtual machines.
  static Peer oursWithAllFamilies(Path distribution) {
    Collection<String> names = namesOf(8);
    VIRTUAL_MACHINES.forEach(name -> names.add("devices.kubevirt.io/" + name));
    return ours(
        "ours, all families", distribution, HEAD + deviceNodes(8) + "  kubevirt: {}\n", names);
  }

  private static Peer ours(
      String name, Path distribution, String config, Collection<String> resources) {
    String script = distribution.resolve("bin/patchbay").toString();
    List<String> rest = List.of("--host-root", "{host}", "--kubelet-dir", "{kubelet}");
    return new Peer(
        name,
        true,
        joined(List.of(script, "agent", "--config", "{host}/agent.yaml"), rest),
        joined(List.of(script, "agent", "--config", "{host}/many.yaml"), rest),
        config,
        Set.copyOf(resources),
        Optional.of(List.of("touch", "{host}/srv/r0/device{number}")),
        Optional.of(List.of("rm", "{host}/srv/r0/device{number}")),
        List.of(distribution));
  }

  private static Collection<String> namesOf(int resources) {
    Set<String> names = new TreeSet<>();
    IntStream.range(0, resources).forEach(i -> names.add("bench.example/r" + i));
    return names;
  }

  private static String deviceNodes(int resources) {
    var text = new StringBuilder("  device-node:\n    domain: bench.example\n    devices:\n");
    for (int i = 0; i < resources; i++)
      text.append(
          "      - {name: r%d, groups: [{paths: [{path: \"/srv/r%d/*\", type: mount}]}]}\n"
              .formatted(i, i));
    return text.toString();
  }

  /// The configuration of ours with many devices.
  static String manyConfig() {
    return HEAD
        + "  device-node:\n    domain: bench.example\n    devices:\n"
        + "      - {name: many, groups: [{count: %d, paths: [{path: /srv/many, type: mount}]}]}\n"
            .formatted(MANY_DEVICES);
  }

  /// The sample around the stub that the kubelet's own module exports.
  ///
  /// @param program see `interop/parts`
  static Peer sample(Path program) {
    List<String> start = List.of(program.toString(), "-quiet", "-dir", "{kubelet}/device-plugins");
    return new Peer(
        "sample",
        false,
        joined(start, List.of("-resource", "a.b/sample", "-device", "toy0", "-device", "toy1")),
        joined(start, List.of("-resource", MANY_RESOURCE, "-count", "" + MANY_DEVICES)),
        "",
        Set.of("a.b/sample"),
        Optional.empty(),
        Optional.empty(),
        List.of(program));
  }

  /// The public plugins in a directory, one in each folder: `run`, `resources` with a name a line,
  /// and perhaps `appear` and `vanish`.
  ///
  /// @throws IOException when one of them lacks a file, or there is none
  static List<Peer> in(Path directory) throws IOException {
    List<Peer> all = new ArrayList<>();
    try (Stream<Path> folders = Files.list(directory)) {
      for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) all.add(of(folder));
    }
    if (all.isEmpty())
      throw new IOException(
          "PEERS is " + directory + ", which has no folder; needed is one a plugin");
    return all;
  }

  private static Peer of(Path folder) throws IOException {
    Path run = folder.resolve("run");
    Path names = folder.resolve("resources");
    if (!Files.isExecutable(run) || !Files.isReadable(names))
      throw new IOException("a plugin in PEERS needs the files run and resources: " + folder);
    return new Peer(
        String.valueOf(folder.getFileName()),
        false,
        List.of(run.toString()),
        List.of(),
        "",
        Set.copyOf(
            Files.readAllLines(names).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList()),
        script(folder.resolve("appear")),
        script(folder.resolve("vanish")),
        List.of(folder.toRealPath()));
  }

  private static Optional<List<String>> script(Path file) {
    return Files.isExecutable(file)
        ? Optional.of(List.of(file.toString(), "{number}"))
        : Optional.empty();
  }

  private static List<String> joined(List<String> first, List<String> rest) {
    return Stream.concat(first.stream(), rest.stream()).toList();
  }

  /// Whether it needs a mount namespace, and so root.
  boolean needsNamespace() {
    return command.stream().noneMatch(word -> word.contains("{kubelet}"));
  }

  /// How much of a disk it takes.
  long bytesOnDisk() throws IOException {
    long sum = 0;
    for (Path each : files)
      try (Stream<Path> tree = Files.walk(each)) {
        for (Path file : tree.filter(Files::isRegularFile).toList()) sum += Files.size(file);
      }
    return sum;
  }
}
