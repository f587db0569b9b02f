package dev.patchbay.host;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// The file system below a directory.
final class LiveFiles implements HostFiles {
  private static final Duration OPEN_AT_MOST = Duration.ofSeconds(2);

  private final Path root;

  LiveFiles(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  private Path at(String path) {
    return root.resolve(path.substring(1));
  }

  @Override
  public Optional<Stat> stat(String path) {
    try {
      Map<String, Object> facts =
          Files.readAttributes(at(path), "unix:mode,rdev", LinkOption.NOFOLLOW_LINKS);
      if (!(facts.get("mode") instanceof Integer mode)
          || !(facts.get("rdev") instanceof Long device)) return Optional.empty();
      Stat.Kind kind = kindOf(mode);
      boolean isDevice = kind == Stat.Kind.CHARACTER_DEVICE || kind == Stat.Kind.BLOCK_DEVICE;
      return Optional.of(
          new Stat(
              kind, isDevice ? majorOf(device) : 0, isDevice ? minorOf(device) : 0, mode & 07777));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// `S_IFMT` of `stat(2)`.
  private static Stat.Kind kindOf(int mode) {
    return switch (mode & 0170000) {
      case 0020000 -> Stat.Kind.CHARACTER_DEVICE;
      case 0060000 -> Stat.Kind.BLOCK_DEVICE;
      case 0040000 -> Stat.Kind.DIRECTORY;
      case 0100000 -> Stat.Kind.FILE;
      case 0120000 -> Stat.Kind.LINK;
      case 0140000 -> Stat.Kind.SOCKET;
      default -> Stat.Kind.OTHER;
    };
  }

  /// glibc's packing of a device number, `gnu_dev_major`.
  private static int majorOf(long device) {
    return (int) ((device >>> 8) & 0xfff) | (int) ((device >>> 32) & ~0xfffL);
  }

  private static int minorOf(long device) {
    return (int) (device & 0xff) | (int) ((device >>> 12) & ~0xffL);
  }

  @Override
  public List<String> list(String path) throws IOException {
    try (Stream<Path> entries = Files.list(at(path))) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).toList();
    }
  }

  @Override
  public byte[] read(String path) throws IOException {
    // To the end: sizes below /proc and /sys are made up.
    try (var in = Files.newInputStream(at(path))) {
      return in.readAllBytes();
    }
  }

  @Override
  public String readLink(String path) throws IOException {
    return Files.readSymbolicLink(at(path)).toString();
  }

  @Override
  public OpenResult open(String path) {
    var opened = new CompletableFuture<OpenResult>();
    // A driver may take its time, and a thread inside open(2) cannot be interrupted.
    Thread.ofPlatform()
        .daemon()
        .name("patchbay-open")
        .start(() -> opened.complete(openNow(at(path))));
    try {
      return opened.get(OPEN_AT_MOST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return new OpenResult.TimedOut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new OpenResult.TimedOut();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static OpenResult openNow(Path path) {
    try (var _ = FileChannel.open(path, StandardOpenOption.READ)) {
      return new OpenResult.Opened();
    } catch (AccessDeniedException e) {
      return new OpenResult.NotPermitted();
    } catch (FileSystemException e) {
      return OpenErrors.of(String.valueOf(e.getReason()));
    } catch (IOException e) {
      return OpenErrors.of(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Optional<Path> live(String path) {
    return Optional.of(at(path));
  }
}
