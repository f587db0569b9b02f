package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IdTextsTest {
  private static final List<String> IDS = List.of("a", "b\"c", "naïve", "d", "e f", "g\\", "h");

  @Test
  void someOfTheIdsLookAsIfTheyWereAll() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int round = 0; round < 1_000; round++) {
      BitSet which = BitSet.valueOf(new long[] {random.nextInt(1 << IDS.size())});

      Fragment some = IdTexts.of(IDS).registered("vendor.example/gpu", which);

      assertThat(text(some.json)).as("seed %d", seed).isEqualTo(text("\"", "\",\"", which, true));
      assertThat(text(some.dump)).as("seed %d", seed).isEqualTo(text("", " ", which, false));
    }
  }

  private static String text(String quote, String separator, BitSet which, boolean escaped) {
    List<String> ids =
        IntStream.range(0, IDS.size())
            .filter(which::get)
            .mapToObj(IDS::get)
            .map(id -> escaped ? id.replace("\\", "\\\\").replace("\"", "\\\"") : id)
            .toList();
    return quote
        + "vendor.example/gpu"
        + quote
        + ":["
        + (ids.isEmpty() ? "" : quote + String.join(separator, ids) + quote)
        + "]";
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
