package dev.patchbay.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// The file system below a directory.
final class LiveFiles implements HostFiles {
  /// As the C library says it; the exception has the path alone.
  private static final String DENIED = "Permission denied";

  private static final Duration OPEN_AT_MOST = Duration.ofSeconds(2);

  /// An open(2) that did not return yet.
  ///
  /// @param startedAt of [System#nanoTime]
  private record Opening(CompletableFuture<OpenResult> result, long startedAt) {}

  private final Path root;
  private final ConcurrentMap<String, Opening> openings = new ConcurrentHashMap<>();

  LiveFiles(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /// @throws NoSuchFileException when no file can have this name: it has characters that the
  ///   machine's character set has not
  private Path at(String path) throws NoSuchFileException {
    try {
      return root.resolve(path.substring(1));
    } catch (InvalidPathException e) {
      throw new NoSuchFileException(path, null, e.getReason());
    }
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
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (AccessDeniedException e) {
      throw new IOException(DENIED, e);
    }
  }

  @Override
  public byte[] read(String path) throws IOException {
    // To the end: sizes below /proc and /sys are made up.
    try (var in = Files.newInputStream(at(path))) {
      byte[] content = in.readNBytes(LARGEST + 1);
      if (content.length > LARGEST) throw new IOException("has more than " + LARGEST + " bytes");
      return content;
    } catch (AccessDeniedException e) {
      throw new IOException(DENIED, e);
    }
  }

  @Override
  public String readLink(String path) throws IOException {
    return Files.readSymbolicLink(at(path)).toString();
  }

  @Override
  public OpenResult open(String path) {
    Opening opening = opening(path);
    Duration passed = Duration.ofNanos(System.nanoTime() - opening.startedAt());
    try {
      return opening.result().get(OPEN_AT_MOST.minus(passed).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return new OpenResult.TimedOut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new OpenResult.TimedOut();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /// The open that is under way, or a new one. A driver may take its time, and a thread inside
  /// open(2) cannot be interrupted: one that hangs must not be joined by another one at each look.
  private Opening opening(String path) {
    var fresh = new Opening(new CompletableFuture<>(), System.nanoTime());
    Opening earlier = openings.putIfAbsent(path, fresh);
    if (earlier != null) return earlier;
    Thread.ofPlatform()
        .daemon()
        .name("patchbay-open")
        .start(() -> {
          OpenResult result = openNow(path);
          openings.remove(path);
          fresh.result().complete(result);
        });
    return fresh;
  }

  private OpenResult openNow(String path) {
    try (var _ = FileChannel.open(at(path), StandardOpenOption.READ)) {
      return new OpenResult.Opened();
    } catch (AccessDeniedException e) {
      return new OpenResult.NotPermitted();
    } catch (NoSuchFileException e) {
      return new OpenResult.Failed("there is no " + path);
    } catch (FileSystemException e) {
      return OpenErrors.of(String.valueOf(e.getReason()));
    } catch (IOException e) {
      return OpenErrors.of(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Optional<Path> live(String path) {
    try {
      return Optional.of(at(path));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
