package dev.patchbay.oci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Looks for what running a container needs.
///
/// @param directories where programs are looked for, in order
/// @param uid effective user of this process
record RuntimeSearch(List<Path> directories, int uid) {
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final List<String> KNOWN = List.of("runc", "crun");

  /// Directories of system programs are looked through even where `PATH` lacks them.
  static RuntimeSearch ofThisMachine() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    List<Path> directories =
        Stream.concat(
                Stream.of(path.split(":", -1)).filter(entry -> entry.startsWith("/")),
                Stream.of("/usr/local/sbin", "/usr/sbin", "/sbin"))
            .distinct()
            .map(Path::of)
            .toList();
    return new RuntimeSearch(directories, effectiveUid());
  }

  RuntimeAvailability find(Optional<String> nameOrPath) {
    Optional<Path> program =
        nameOrPath
            .map(this::locate)
            .orElseGet(() -> KNOWN.stream().flatMap(n -> locate(n).stream()).findFirst());
    if (program.isEmpty())
      return new RuntimeAvailability.Missing(
          "no OCI runtime: "
              + nameOrPath.orElse(String.join(" or ", KNOWN))
              + " is not an executable program"
              + (nameOrPath.filter(name -> name.startsWith("/")).isPresent()
                  ? ""
                  : " of the PATH"));
    if (uid != 0)
      return new RuntimeAvailability.Missing(
          "not root: " + program.get() + " has to make cgroups and device nodes, uid is " + uid);
    for (String needed : List.of("sh", "setsid"))
      if (locate(needed).isEmpty())
        return new RuntimeAvailability.Missing(
            "no program \"" + needed + "\", which keeps a container apart from this process");
    return version(program.get());
  }

  private Optional<Path> locate(String nameOrPath) {
    if (nameOrPath.startsWith("/")) return Optional.of(Path.of(nameOrPath)).filter(this::isProgram);
    return directories.stream().map(d -> d.resolve(nameOrPath)).filter(this::isProgram).findFirst();
  }

  private boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }

  private static RuntimeAvailability version(Path program) {
    try {
      Process process =
          new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() == 0)
        return new RuntimeAvailability.Available(program, text.lines().findFirst().orElse(""));
      return new RuntimeAvailability.Missing(program + " --version failed: " + text.strip());
    } catch (IOException e) {
      return new RuntimeAvailability.Missing("cannot run " + program + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new RuntimeAvailability.Missing("interrupted while " + program + " was tried");
    }
  }

  private static int effectiveUid() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status")))
        if (line.startsWith("Uid:")) return Integer.parseInt(BLANKS.split(line, -1)[2]);
    } catch (IOException e) {
      return -1; // no /proc: no container either
    }
    return -1;
  }
}
