package dev.patchbay.kubelet.checkpoint;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/// The checkpoint on disk. A write leaves the old or the new file whole, also when the machine
/// stops in the middle of it.
public final class CheckpointFile {
  /// The file's name in the kubelet's device plugin directory.
  public static final String NAME = "kubelet_internal_checkpoint";

  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final WholeFile file;

  /// The checkpoint of the kubelet with this device plugin directory.
  public CheckpointFile(Path directory) {
    this.file = new WholeFile(directory, NAME);
  }

  /// Reads the file. One that cannot be used is put aside under a name that begins with a dot, and
  /// the state begins empty, as the kubelet does.
  public Optional<Checkpoint> read() {
    Optional<String> text;
    try {
      text = file.read();
    } catch (CharacterCodingException e) {
      return unusable("not UTF-8");
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR, "checkpoint unreadable file=" + file.path() + " reason=" + e);
      return Optional.empty();
    }
    if (text.isEmpty()) return Optional.empty();
    try {
      return Optional.of(CheckpointFormat.read(text.get()));
    } catch (IOException e) {
      return unusable(String.valueOf(e.getMessage()));
    }
  }

  private Optional<Checkpoint> unusable(String why) {
    LOG.log(
        System.Logger.Level.ERROR,
        "checkpoint not used, starting without allocations file=" + file.path() + " reason=" + why);
    putAside();
    return Optional.empty();
  }

  private void putAside() {
    try {
      Files.move(
          file.path(),
          file.directory().resolve("." + NAME + ".unusable"),
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "checkpoint not put aside file=" + file.path() + " reason=" + e);
    }
  }

  /// Replaces the file. An interrupt of the thread does not spoil the write.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(Checkpoint checkpoint) throws IOException {
    write(CheckpointFormat.write(checkpoint));
  }

  /// The same with the bytes that [CheckpointFormat] makes of it.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(byte[] bytes) throws IOException {
    try {
      file.write(bytes);
    } catch (IOException e) {
      throw new IOException("failed to write checkpoint file \"" + NAME + "\": " + reason(e), e);
    }
  }

  /// The messages of some exceptions of files are a path and nothing else.
  private static String reason(IOException e) {
    return e instanceof FileSystemException failure && failure.getReason() == null
        ? e.toString()
        : String.valueOf(e.getMessage());
  }
}
