package dev.patchbay.rpc.hpack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The examples of RFC 7541, appendix C, what is malformed, and what the encoder makes.
final class HeaderDecoderTest {
  private final HeaderDecoder decoder = new HeaderDecoder(10_000);

  @Test
  void readsTheRequestsOfTheRfc() throws Exception {
    assertThat(decoded("828684410f7777772e6578616d706c652e636f6d"))
        .containsExactly(
            ":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com");
    assertThat(decoded("828684be58086e6f2d6361636865")).contains("cache-control: no-cache");
    assertThat(decoded("828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"))
        .containsExactly(
            ":method: GET",
            ":scheme: https",
            ":path: /index.html",
            ":authority: www.example.com",
            "custom-key: custom-value");
  }

  @Test
  void readsTheRequestsOfTheRfcInHuffmanCode() throws Exception {
    assertThat(decoded("828684418cf1e3c2e5f23a6ba0ab90f4ff"))
        .contains(":authority: www.example.com");
    assertThat(decoded("828684be5886a8eb10649cbf")).contains("cache-control: no-cache");
    assertThat(decoded("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf"))
        .contains("custom-key: custom-value");
  }

  /// Where the table has 256 bytes, so that entries go.
  @Test
  void readsTheResponsesOfTheRfcWithATableThatIsFull() throws Exception {
    assertThat(
            decoded(
                "3fe101"
                    + "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a32"
                    + "3120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d"))
        .containsExactly(
            ":status: 302",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com");
    assertThat(decoded("4803333037c1c0bf"))
        .containsExactly(
            ":status: 307",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: https://www.example.com");
    assertThat(
            decoded(
                "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f"
                    + "6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b"
                    + "2076657273696f6e3d31"))
        .containsExactly(
            ":status: 200",
            "cache-control: private",
            "date: Mon, 21 Oct 2013 20:13:22 GMT",
            "location: https://www.example.com",
            "content-encoding: gzip",
            "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
  }

  @ParameterizedTest
  @CsvSource({
    "an index of nothing, 80",
    "an index beyond the table, be",
    "a huge index, ffffffffff7f",
    "a number without end, ffffffffffff",
    "a number that is cut off, ff",
    "a name that is cut off, 0005616263",
    "no value, 000161",
    "a table that is too large, 3fe23f",
    "a table that changes in the middle, 8220",
    "the end mark in a Huffman text, 0085ffffffff0100",
    "a Huffman text that ends with zeros, 00811800",
    "a Huffman text with a byte of padding, 00821fff00",
  })
  void refusesWhatIsMalformed(String what, String block) {
    assertThatThrownBy(() -> decoded(block)).as(what).isInstanceOf(HpackException.class);
  }

  @Test
  void leavesOutWhatMakesTheListTooLarge() throws Exception {
    var small = new HeaderDecoder(100);
    byte[] block =
        HeaderEncoder.encode(
            List.of(new Header("a", "1"), new Header("b", "x".repeat(100)), new Header("c", "3")));

    var decoded = small.decode(block, 0, block.length);

    assertThat(decoded.isTooLarge()).isTrue();
    assertThat(decoded.headers()).containsExactly(new Header("a", "1"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 14, 15, 126, 127, 128, 254, 255, 5_000})
  void readsWhatTheEncoderMakes(int length) throws Exception {
    List<Header> headers =
        List.of(
            new Header(":status", "200"),
            new Header("content-type", "v".repeat(length)),
            new Header("n" + "n".repeat(length), "\u00e4\u00ff"));

    byte[] block = HeaderEncoder.encode(headers);

    assertThat(new HeaderDecoder(100_000).decode(block, 0, block.length).headers())
        .isEqualTo(headers);
  }

  /// Nothing but the one exception, whatever comes.
  @Test
  void survivesAnyBytes() {
    var random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      var any = new HeaderDecoder(1_000);
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      Throwable thrown = catchThrowable(() -> any.decode(bytes, 0, bytes.length));
      if (thrown != null) assertThat(thrown).isInstanceOf(HpackException.class);
    }
  }

  private List<String> decoded(String hex) throws HpackException {
    byte[] block = HexFormat.of().parseHex(hex);
    List<String> lines = new ArrayList<>();
    decoder
        .decode(block, 0, block.length)
        .headers()
        .forEach(header -> lines.add(header.name() + ": " + header.value()));
    return lines;
  }
}
