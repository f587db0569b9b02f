package dev.patchbay.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Measures the shipped agent beside device plugins written in Go, prints the figures and writes
/// them into a document.
public final class PeerBench {
  private PeerBench() {}

  /// Takes twenty minutes with five plugins.
  ///
  /// @param args the distribution's directory, the directory of the Go parts, and the document; the
  ///   environment variable PEERS may name a directory of public plugins
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 3) {
      System.err.println("usage: PeerBench DISTRIBUTION PARTS DOCUMENT");
      System.exit(2);
    }
    Path home = Path.of(args[0]).toAbsolutePath();
    Path parts = Path.of(args[1]).toAbsolutePath();
    Document document = Document.openForPeers(Path.of(args[2]));
    List<Peer> peers = new ArrayList<>();
    peers.add(Peer.oursWithOneFamily(home));
    peers.add(Peer.oursWithAllFamilies(home));
    peers.add(Peer.sample(parts.resolve("sample-plugin")));
    String directory = System.getenv("PEERS");
    if (directory != null && !directory.isEmpty())
      peers.addAll(Peer.in(Path.of(directory).toAbsolutePath()));
    if (!PeerStage.isRoot()) {
      System.err.println("bench-peers: needs root, for device nodes and mount namespaces");
      System.exit(1);
    }
    endPluginsWithThisProgram();
    Machine machine = Machine.here();
    if (machine.isBusy())
      System.err.printf(
          "bench-peers: this machine is busy (load %.2f on %d cores): times will be too long%n",
          machine.load(), machine.cores());
    var client = new GoClient(parts.resolve("allocate"));
    var result = PeerRace.run(peers, client, PeerEffort.FULL, System.err);
    var report = new PeerReport(LocalDate.now(ZoneOffset.UTC), machine, result, imageBeside(home));
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(report.asText());
    document.replaceFigures(report.asMarkdown());
  }

  private static Optional<Long> imageBeside(Path home) throws IOException {
    Path target = home.resolveSibling("");
    try (Stream<Path> files = Files.list(target)) {
      Optional<Path> image = files.filter(file -> file.toString().endsWith(".oci.tar")).findFirst();
      return image.isEmpty() ? Optional.empty() : Optional.of(Files.size(image.get()));
    }
  }

  /// Also when it is interrupted.
  private static void endPluginsWithThisProgram() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroy)));
  }
}
