package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What an agent is asked to offer. Its devices are files that are mounted, since anybody can make
/// files.
///
/// @param config the agent's configuration
/// @param files below the host's root
/// @param devices how many devices each resource has
record Scenario(String config, Set<String> files, Map<String, Integer> devices) {
  private static final String DOMAIN = "bench.example";
  private static final String HEAD =
      """
      version: 1
      drivers:
        device-node:
          domain: %s
          devices:
      """
          .formatted(DOMAIN);

  /// Where a new file is a new device of [#GROWING], in [#eightResources].
  static final String GROWING_DIRECTORY = "srv/r0";

  static final String GROWING = DOMAIN + "/r0";

  Scenario {
    files = Set.copyOf(files);
    devices = Map.copyOf(devices);
  }

  /// Eight resources of two devices each, about as many as the built-in configuration has.
  static Scenario eightResources() {
    var config = new StringBuilder(HEAD);
    Set<String> files = new TreeSet<>();
    Map<String, Integer> devices = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      String name = "r" + i;
      config.append(
          "      - {name: %s, groups: [{paths: [{path: \"/srv/%s/*\", type: mount}]}]}\n"
              .formatted(name, name));
      files.add("srv/" + name + "/a");
      files.add("srv/" + name + "/b");
      devices.put(DOMAIN + "/" + name, 2);
    }
    return new Scenario(config.toString(), files, devices);
  }

  /// One file, shared by so many.
  static Scenario manyDevices(int count) {
    String entry =
        "      - {name: shared, groups: [{count: %d, paths: [{path: /srv/shared, type: mount}]}]}\n"
            .formatted(count);
    return new Scenario(HEAD + entry, Set.of("srv/shared"), Map.of(DOMAIN + "/shared", count));
  }

  /// Makes the files.
  void layOut(Path hostRoot, Path configFile) throws IOException {
    for (String file : files) {
      Path path = hostRoot.resolve(file);
      Files.createDirectories(path.getParent());
      Files.createFile(path);
    }
    Files.writeString(configFile, config);
  }
}
