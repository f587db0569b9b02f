package dev.patchbay.testkit;

import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// A `kubelet.sock` that can stay when nobody serves it any more, as after the death of a process.
///
/// A server removes its own file when it ends. So it serves a hidden file, of which `kubelet.sock`
/// is a hard link: plugins reach it by either, and neither the link nor its times change at the
/// end.
final class KubeletSocket {
  private final Path socket;
  private final Path hidden;
  private final UnixServer server;

  private KubeletSocket(Path socket, Path hidden, UnixServer server) {
    this.socket = socket;
    this.hidden = hidden;
    this.server = server;
  }

  /// Serves, then puts the socket in its place; a file that is there is replaced.
  ///
  /// @param hidden a free path on the same file system
  static KubeletSocket serve(Transport transport, Path socket, Path hidden, BindableService service)
      throws IOException {
    UnixServer server = transport.serve(hidden, List.of(service));
    Path beside = hidden.resolveSibling(hidden.getFileName() + "-link");
    Files.createLink(beside, hidden);
    Files.move(beside, socket, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new KubeletSocket(socket, hidden, server);
  }

  /// Ends all calls and stops listening; the file stays.
  void leave() {
    server.close();
  }

  /// Ends all calls, stops listening and removes the file.
  void remove() throws IOException {
    server.close();
    if (Files.exists(socket) && Files.isSameFile(socket, hidden)) Files.delete(socket);
    Files.deleteIfExists(hidden);
  }

  /// Removes what is hidden of a socket that was left. Its `kubelet.sock` gets another change time.
  void forget() throws IOException {
    Files.deleteIfExists(hidden);
  }
}
