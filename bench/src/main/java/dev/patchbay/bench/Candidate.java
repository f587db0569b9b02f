package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A way to start the agent.
///
/// @param name how it is called where figures are shown
/// @param command the words before the agent's own options
record Candidate(String name, List<String> command) {
  private static final String MAIN = "dev.patchbay.cli.Patchbay";

  Candidate {
    command = List.copyOf(command);
  }

  /// As users start it: the start script, the trimmed runtime, the AOT cache, our flags.
  ///
  /// @param home the distribution
  static Candidate shipped(Path home) throws IOException {
    Path script = home.resolve("bin/patchbay");
    if (!Files.isExecutable(script))
      throw new IOException("no distribution in " + home + ": needed is its bin/patchbay");
    return new Candidate("as shipped", List.of(script.toString(), "agent"));
  }

  /// The same archives in this program's Java, with no option but the class path.
  static Candidate plainJava(Path home) throws IOException {
    try (Stream<Path> archives = Files.list(home.resolve("lib"))) {
      String classPath =
          archives
              .map(Path::toString)
              .filter(name -> name.endsWith(".jar"))
              .sorted()
              .collect(Collectors.joining(":"));
      return java("plain java", classPath);
    }
  }

  /// This program's Java with these options.
  static Candidate java(String name, String classPath, String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classPath, MAIN, "agent"));
    return new Candidate(name, command);
  }
}
