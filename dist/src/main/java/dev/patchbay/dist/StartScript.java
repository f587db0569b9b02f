package dev.patchbay.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// What the start script does for the agent, found out by running it with a `java` that only says
/// how it was called. An image without a shell then starts the same JVM in the same way, and the
/// two cannot drift apart.
///
/// @param arguments of `java`, up to and with the main class
/// @param environment what the script sets for it, as `NAME=value`
record StartScript(List<String> arguments, List<String> environment) {
  private static final String SAY_HOW =
      """
      #!/bin/sh
      printf '%s\\n' "$@"
      echo --
      exec env
      """;

  /// Runs the script.
  ///
  /// @param home the distribution that it belongs to
  /// @param installed where this distribution will lie, in whose place the arguments name it
  static StartScript ofAgent(Path home, String installed) throws IOException, InterruptedException {
    Path place = Files.createTempDirectory("patchbay-start").toRealPath();
    try {
      program(place.resolve("bin/patchbay"), Files.readString(home.resolve("bin/patchbay")));
      program(place.resolve("runtime/bin/java"), SAY_HOW);
      try (Stream<Path> libraries = Files.list(home.resolve("lib"))) {
        for (Path library : libraries.toList())
          program(place.resolve("lib").resolve(library.getFileName()), "");
      }
      return parse(run(place.resolve("bin/patchbay")), place.toString(), installed);
    } finally {
      delete(place);
    }
  }

  private static StartScript parse(List<String> lines, String place, String installed)
      throws IOException {
    int end = lines.indexOf("--");
    if (end < 1 || !lines.get(end - 1).equals("agent"))
      throw new IOException("the start script did not end in `java … agent`: " + lines);
    List<String> arguments = new ArrayList<>(lines.subList(0, end - 1));
    arguments.replaceAll(it -> it.replace(place, installed));
    List<String> environment = new ArrayList<>(lines.subList(end + 1, lines.size()));
    // What every shell sets, and what the script was given.
    environment.removeIf(it -> it.matches("(PATH|PWD|OLDPWD|SHLVL|_)=.*"));
    environment.sort(null);
    return new StartScript(List.copyOf(arguments), List.copyOf(environment));
  }

  private static List<String> run(Path script) throws IOException, InterruptedException {
    var builder = new ProcessBuilder(script.toString(), "agent").redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    Process process = builder.start();
    List<String> lines;
    try (var out = process.inputReader()) {
      lines = out.readAllLines();
    }
    if (process.waitFor() != 0) throw new IOException(script + " failed: " + lines);
    return lines;
  }

  private static void program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> tree = Files.walk(folder)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
    }
  }

  /// The arguments as a file that `java @file` reads (java(1), "java command-line argument files").
  String argumentFile() {
    var text = new StringBuilder();
    for (String argument : arguments)
      text.append('"').append(argument.replace("\\", "\\\\").replace("\"", "\\\"")).append("\"\n");
    return text.toString();
  }
}
