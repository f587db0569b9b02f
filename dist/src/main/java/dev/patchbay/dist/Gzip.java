package dev.patchbay.dist;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/// Gzip at its best level. The JDK writes neither a time nor a name into the header, and its own
/// zlib makes the same bytes wherever the same JDK builds.
final class Gzip extends GZIPOutputStream {
  private static final int BUFFER = 1 << 16;

  Gzip(OutputStream out) throws IOException {
    super(out, BUFFER);
    def.setLevel(Deflater.BEST_COMPRESSION);
  }

  static byte[] of(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new Gzip(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }
}
