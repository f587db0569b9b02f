package dev.patchbay.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What a Java source file says of its place and of what it uses.
///
/// @param packageName as in its `package` line
/// @param imports packages that its `import` lines name
record SourceFile(Path path, String packageName, Set<String> imports) {
  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile(
          "^import (?:static )?([\\w.]+?)\\.(?:[A-Z]\\w*\\.)*[\\w*]+;", Pattern.MULTILINE);

  /// Where its classes go.
  enum Kind {
    MAIN,
    TEST;

    private Path directory(String module) {
      return Repository.ROOT
          .resolve(module)
          .resolve("src")
          .resolve(name().toLowerCase(Locale.ROOT))
          .resolve("java");
    }
  }

  /// All sources of one kind of a module; none when it has none.
  static List<SourceFile> of(String module, Kind kind) throws IOException {
    Path directory = kind.directory(module);
    if (!Files.isDirectory(directory)) return List.of();
    List<SourceFile> sources = new ArrayList<>();
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path file : tree.filter(path -> path.toString().endsWith(".java")).sorted().toList())
        sources.add(read(file));
    }
    return sources;
  }

  private static SourceFile read(Path file) throws IOException {
    String text = Files.readString(file);
    Matcher name = PACKAGE.matcher(text);
    if (!name.find()) throw new IOException(file + " has no package");
    Set<String> imports = new LinkedHashSet<>();
    IMPORT.matcher(text).results().forEach(match -> imports.add(match.group(1)));
    return new SourceFile(Repository.ROOT.relativize(file), name.group(1), imports);
  }
}
