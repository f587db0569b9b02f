package dev.patchbay.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The building machine's C library, as far as a Java runtime needs it: what `ldd` finds for its
/// programs and libraries, each under the name by which the dynamic linker looks for it.
///
/// @param files absolute paths
/// @param locale the folder of the locale C.UTF-8, without which the JVM cannot name files outside
///   ASCII
record CLibrary(SortedSet<Path> files, Path locale) {
  private static final Pattern FOUND =
      Pattern.compile("^\\s+(?:(?<name>\\S+) => )?(?<path>/\\S+) \\(0x", Pattern.MULTILINE);
  private static final Pattern MISSING =
      Pattern.compile("^\\s+(\\S+) => not found", Pattern.MULTILINE);
  private static final List<Path> LOCALES =
      List.of(Path.of("/usr/lib/locale/C.utf8"), Path.of("/usr/lib64/locale/C.utf8"));

  /// Looks what a runtime needs.
  ///
  /// @throws IOException also when something that it needs is not on this machine
  static CLibrary neededBy(Path runtime) throws IOException, InterruptedException {
    List<Path> binaries = new ArrayList<>(List.of(runtime.resolve("bin/java")));
    try (Stream<Path> tree = Files.walk(runtime.resolve("lib"))) {
      tree.filter(file -> file.toString().endsWith(".so")).sorted().forEach(binaries::add);
    }
    SortedSet<Path> files = new TreeSet<>();
    for (Path binary : binaries) files.addAll(neededBy(binary, binaries));
    for (Path locale : LOCALES)
      if (Files.exists(locale.resolve("LC_CTYPE"))) return new CLibrary(files, locale);
    throw new IOException("this machine has no locale C.UTF-8: none of " + LOCALES + " is there");
  }

  private static SortedSet<Path> neededBy(Path binary, List<Path> runtime)
      throws IOException, InterruptedException {
    String output = Command.output("ldd", binary.toString());
    SortedSet<Path> files = new TreeSet<>();
    Matcher found = FOUND.matcher(output);
    while (found.find()) {
      Path path = Path.of(found.group("path"));
      if (!isOf(runtime, path.getFileName().toString())) files.add(path);
    }
    Matcher missing = MISSING.matcher(output);
    while (missing.find())
      if (!isOf(runtime, missing.group(1)))
        throw new IOException(
            binary + " needs " + missing.group(1) + ", which is not on this machine");
    return files;
  }

  private static boolean isOf(List<Path> runtime, String name) {
    return runtime.stream().anyMatch(file -> file.endsWith(name));
  }
}
