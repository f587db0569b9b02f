package dev.patchbay.dist;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/// Gzip at its best level (RFC 1952), with no time and no name in it. The JDK's own zlib makes the
/// same bytes wherever the same JDK builds. Its own gzip does not say in the header that the level
/// is the best one, which lintian looks for.
final class Gzip extends DeflaterOutputStream {
  private static final int BUFFER = 1 << 16;
  // Magic, method deflate, no flags, no time, best compression, unknown system.
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 2, (byte) 0xff};
  private final CRC32 sum = new CRC32();

  Gzip(OutputStream out) throws IOException {
    super(out, new Deflater(Deflater.BEST_COMPRESSION, true), BUFFER);
    out.write(HEADER);
  }

  static byte[] of(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new Gzip(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    super.write(bytes, from, length);
    sum.update(bytes, from, length);
  }

  @Override
  public void finish() throws IOException {
    if (def.finished()) return;
    super.finish();
    littleEndian((int) sum.getValue());
    littleEndian((int) def.getBytesRead());
  }

  @Override
  public void close() throws IOException {
    super.close();
    def.end();
  }

  private void littleEndian(int number) throws IOException {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) out.write(number >>> shift);
  }
}
