package dev.patchbay.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/// `PlainArchives FOLDER`: takes out of our own archives in this folder what depends on who built
/// them. Maven writes the modes of the files into them, which come from the user's umask.
final class PlainArchives {
  private PlainArchives() {}

  public static void main(String[] args) throws IOException {
    List<Path> archives;
    try (Stream<Path> files = Files.list(Path.of(args[0]))) {
      archives = files.filter(it -> isOurs(it.getFileName().toString())).sorted().toList();
    }
    for (Path archive : archives) makePlain(archive);
  }

  static boolean isOurs(String archive) {
    return archive.startsWith("patchbay-") && archive.endsWith(".jar");
  }

  private static void makePlain(Path archive) throws IOException {
    Path plain = archive.resolveSibling(archive.getFileName() + ".plain");
    try (var in = new ZipFile(archive.toFile());
        var out = new ZipOutputStream(Files.newOutputStream(plain))) {
      for (ZipEntry entry : in.stream().toList()) {
        var copy = new ZipEntry(entry.getName());
        copy.setTimeLocal(entry.getTimeLocal());
        out.putNextEntry(copy);
        try (var bytes = in.getInputStream(entry)) {
          bytes.transferTo(out);
        }
      }
    }
    Files.move(plain, archive, StandardCopyOption.REPLACE_EXISTING);
  }
}
