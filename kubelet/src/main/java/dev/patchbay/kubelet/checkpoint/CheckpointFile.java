package dev.patchbay.kubelet.checkpoint;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/// The checkpoint on disk. A write leaves the old or the new file whole, also when the machine
/// stops in the middle of it.
public final class CheckpointFile {
  /// The file's name in the kubelet's device plugin directory.
  public static final String NAME = "kubelet_internal_checkpoint";

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final Path directory;

  /// The checkpoint of the kubelet with this device plugin directory.
  public CheckpointFile(Path directory) {
    this.directory = directory;
  }

  private Path file() {
    return directory.resolve(NAME);
  }

  /// Reads the file. One that cannot be used is put aside under a name that begins with a dot, and
  /// the state begins empty, as the kubelet does.
  public Optional<Checkpoint> read() {
    String text;
    try {
      text = Files.readString(file());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (CharacterCodingException e) {
      return unusable("not UTF-8");
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "checkpoint unreadable file=" + file() + " reason=" + e);
      return Optional.empty();
    }
    try {
      return Optional.of(CheckpointFormat.read(text));
    } catch (IOException e) {
      return unusable(String.valueOf(e.getMessage()));
    }
  }

  private Optional<Checkpoint> unusable(String why) {
    LOG.log(
        System.Logger.Level.ERROR,
        "checkpoint not used, starting without allocations file=" + file() + " reason=" + why);
    putAside();
    return Optional.empty();
  }

  private void putAside() {
    try {
      Files.move(
          file(), directory.resolve("." + NAME + ".unusable"), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING, "checkpoint not put aside file=" + file() + " reason=" + e);
    }
  }

  /// Replaces the file. An interrupt of the thread does not spoil the write.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(Checkpoint checkpoint) throws IOException {
    byte[] bytes = CheckpointFormat.write(checkpoint).getBytes(StandardCharsets.UTF_8);
    try {
      Files.createDirectories(directory);
      Path temporary = Files.createTempFile(directory, ".", "", OWNER_ONLY);
      try {
        fill(temporary, bytes);
        Files.move(temporary, file(), StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        discard(temporary, e);
        throw e;
      }
    } catch (IOException e) {
      throw new IOException("failed to write checkpoint file \"" + NAME + "\": " + reason(e), e);
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

  /// The messages of some exceptions of files are a path and nothing else.
  private static String reason(IOException e) {
    return e instanceof FileSystemException failure && failure.getReason() == null
        ? e.toString()
        : String.valueOf(e.getMessage());
  }
}
