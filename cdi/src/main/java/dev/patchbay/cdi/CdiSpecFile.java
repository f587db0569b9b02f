package dev.patchbay.cdi;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/// Reads and writes one spec file.
public final class CdiSpecFile {
  private CdiSpecFile() {}

  /// Reads a spec in YAML or JSON.
  ///
  /// @throws InvalidCdiSpecException with all its faults
  public static CdiSpec parse(String text) throws InvalidCdiSpecException {
    return new CdiSpecReader().read(text);
  }

  /// Reads a spec file.
  ///
  /// @throws InvalidCdiSpecException with all its faults
  /// @throws IOException when it cannot be read; the message has the path
  public static CdiSpec read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new IOException("cannot read " + file + ": it is not UTF-8", e);
    }
    return parse(text);
  }

  /// Writes a spec as JSON, all or nothing: a reader sees the old file or the new one. The
  /// directory is made when it is missing; the file is readable by all.
  ///
  /// @param name of the file, ending in `.json`; the specification wants one file per vendor and
  ///   class, `vendor-class.json`
  /// @return the file
  /// @throws InvalidCdiSpecException when a reader would refuse the spec; nothing is written then
  public static Path write(Path directory, String name, CdiSpec spec) throws IOException {
    if (!name.endsWith(".json") || name.startsWith(".") || name.contains("/"))
      throw new IllegalArgumentException(
          "a CDI spec file named \"" + name + "\" would not be read; needed is <name>.json");
    String text = CdiSpecText.of(spec);
    parse(text);
    Files.createDirectories(directory);
    Path file = directory.resolve(name);
    Path draft =
        Files.createTempFile(
            directory,
            "." + name,
            ".tmp",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
    try {
      Files.writeString(draft, text);
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException("cannot replace " + file + " in one step", e);
    } finally {
      Files.deleteIfExists(draft);
    }
    return file;
  }
}
