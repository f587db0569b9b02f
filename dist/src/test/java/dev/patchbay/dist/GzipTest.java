package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GzipTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_535, 65_536, 300_001})
  void isReadByAnyone(int size) throws Exception {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    byte[] packed = Gzip.of(bytes);
    try (var in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      assertThat(in.readAllBytes()).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 70_000})
  void theSizeOfWritesDoesNotMatter(int size) throws Exception {
    byte[] bytes = new byte[200_000];
    var packed = new ByteArrayOutputStream();
    try (var gzip = new Gzip(packed)) {
      for (int at = 0; at < bytes.length; at += size)
        gzip.write(bytes, at, Math.min(size, bytes.length - at));
    }
    try (var in = new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
      assertThat(in.readAllBytes()).isEqualTo(bytes);
    }
  }
}
