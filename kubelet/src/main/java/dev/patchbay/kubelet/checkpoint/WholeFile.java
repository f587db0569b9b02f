package dev.patchbay.kubelet.checkpoint;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/// A small file of the kubelet's that is read and replaced as a whole: a write leaves the old or
/// the new file, also when the machine stops in the middle of it. Only its owner can read it.
///
/// @param directory made at a write where it is missing
public record WholeFile(Path directory, String name) {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /// Where it lies.
  public Path path() {
    return directory.resolve(name);
  }

  /// Its text; empty when there is no such file.
  ///
  /// @throws IOException when it cannot be read, or is not UTF-8
  public Optional<String> read() throws IOException {
    try {
      return Optional.of(Files.readString(path()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /// Replaces the file. An interrupt of the thread does not spoil the write.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(String text) throws IOException {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /// The same with the bytes of its text.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(byte[] bytes) throws IOException {
    Path temporary = temporary();
    try {
      fill(temporary, bytes);
      Files.move(temporary, path(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      discard(temporary, e);
      throw e;
    }
  }

  private Path temporary() throws IOException {
    try {
      return Files.createTempFile(directory, ".", "", OWNER_ONLY);
    } catch (IOException e) {
      if (Files.isDirectory(directory)) throw e;
      Files.createDirectories(directory);
      return Files.createTempFile(directory, ".", "", OWNER_ONLY);
    }
  }

  /// By a stream, since a channel is closed when its thread is interrupted.
  private static void fill(Path file, byte[] bytes) throws IOException {
    try (var stream = new FileOutputStream(file.toFile())) {
      stream.write(bytes);
      stream.getFD().sync();
    }
  }

  private static void discard(Path temporary, IOException why) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }
}
