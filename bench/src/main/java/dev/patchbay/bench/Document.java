package dev.patchbay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A Markdown file, written by people but for the part between two comments.
///
/// @param before up to the first comment, with it
/// @param after from the second comment on
public record Document(Path file, String before, String after) {
  static final String BEGIN = "<!-- bench: begin; what follows is written by make bench -->\n";
  static final String END = "<!-- bench: end -->\n";

  static final String PEERS_BEGIN =
      "<!-- bench-peers: begin; what follows is written by make bench-peers -->\n";
  static final String PEERS_END = "<!-- bench-peers: end -->\n";

  static final String KUBELET_BEGIN =
      "<!-- bench-kubelet: begin; what follows is written by make bench-kubelet -->\n";
  static final String KUBELET_END = "<!-- bench-kubelet: end -->\n";

  /// Reads a file that `make bench` writes into.
  ///
  /// @throws IOException when the comments are not in it, once each and in this order
  static Document open(Path file) throws IOException {
    return open(file, BEGIN, END);
  }

  /// Reads a file that `make bench-peers` writes into.
  ///
  /// @throws IOException when the comments are not in it, once each and in this order
  static Document openForPeers(Path file) throws IOException {
    return open(file, PEERS_BEGIN, PEERS_END);
  }

  /// Reads a file that `make bench-kubelet` writes into.
  ///
  /// @throws IOException when the comments are not in it, once each and in this order
  public static Document openForKubelet(Path file) throws IOException {
    return open(file, KUBELET_BEGIN, KUBELET_END);
  }

  private static Document open(Path file, String first, String last) throws IOException {
    String text = Files.readString(file);
    int begin = text.indexOf(first);
    int end = text.indexOf(last);
    boolean once = begin == text.lastIndexOf(first) && end == text.lastIndexOf(last);
    if (begin < 0 || end < begin || !once)
      throw new IOException(
          "cannot write figures into %s; needed are, once each, the lines\n%s%s"
              .formatted(file, first, last));
    return new Document(file, text.substring(0, begin + first.length()), text.substring(end));
  }

  /// Writes the file with this between the comments.
  public void replaceFigures(String figures) throws IOException {
    Files.writeString(file, before + "\n" + figures + "\n" + after);
  }
}
