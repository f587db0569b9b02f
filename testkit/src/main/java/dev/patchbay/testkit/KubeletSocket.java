package dev.patchbay.testkit;

import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixServer;
import io.grpc.BindableService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;

/// A `kubelet.sock` that can stay when nobody serves it any more, as after the death of a process.
///
/// A server removes its own file when it ends. So it serves a hidden file, which then becomes
/// `kubelet.sock`: at the end the server finds none of its own.
///
/// @param file which file it is: no other has its key as long as the server is there
record KubeletSocket(Path socket, Object file, UnixServer server) {
  /// Serves, then puts the socket in its place; a file that is there is replaced.
  ///
  /// @param hidden a free path on the same file system
  static KubeletSocket serve(Transport transport, Path socket, Path hidden, BindableService service)
      throws IOException {
    UnixServer server = transport.serve(hidden, List.of(service));
    Files.move(hidden, socket, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new KubeletSocket(socket, key(socket), server);
  }

  /// Ends all calls and stops listening; the file stays.
  void leave() {
    server.close();
  }

  /// Ends all calls, stops listening and removes the file, if it is still this one.
  void remove() throws IOException {
    if (Files.exists(socket) && key(socket).equals(file)) Files.delete(socket);
    server.close();
  }

  private static Object key(Path file) throws IOException {
    return Objects.requireNonNull(
        Files.readAttributes(file, BasicFileAttributes.class).fileKey(),
        "files have no keys on this system");
  }
}
