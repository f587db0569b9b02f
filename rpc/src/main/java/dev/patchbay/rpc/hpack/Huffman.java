package dev.patchbay.rpc.hpack;

/// The Huffman code of RFC 7541, appendix B.
///
/// The code is canonical: with the symbols sorted by the length of their codes, then by value, each
/// code is the one before plus one, with zeros added where the length grows. So the lengths are the
/// whole table. They become a tree of two-way nodes in which a bit chooses the next step.
final class Huffman {
  private static final int END_OF_STRING = 256;

  /// The length of each symbol's code in bits, in base 36; the last is the end's.
  private static final String LENGTHS =
      "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca"
          + "d67777777777777777777777878djde6f56565666577666567655677777fbeds"
          + "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn"
          + "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq"
          + "u";

  /// The one code.
  static final Huffman CODE = new Huffman();

  /// Two entries for each inner node, for 0 and 1: the number of another inner node, or, negative,
  /// a symbol less 1,000.
  private final short[] tree = tree();

  private Huffman() {}

  private static short[] tree() {
    var tree = new short[2 * END_OF_STRING];
    int nodes = 1;
    int code = 0;
    for (int length = 1; length <= 30; length++) {
      code <<= 1;
      for (int symbol = 0; symbol <= END_OF_STRING; symbol++) {
        if (Character.digit(LENGTHS.charAt(symbol), 36) != length) continue;
        int node = 0;
        for (int bit = length - 1; bit > 0; bit--) {
          int step = 2 * node + ((code >> bit) & 1);
          if (tree[step] == 0) tree[step] = (short) nodes++;
          node = tree[step];
        }
        tree[2 * node + (code & 1)] = (short) (symbol - 1000);
        code++;
      }
    }
    return tree;
  }

  String decode(byte[] bytes, int from, int length) throws HpackException {
    var text = new StringBuilder(length * 8 / 5);
    int node = 0;
    int bitsSinceSymbol = 0;
    boolean onlyOnes = true;
    for (int at = from; at < from + length; at++)
      for (int bit = 7; bit >= 0; bit--) {
        int next = (bytes[at] >> bit) & 1;
        int step = tree[2 * node + next];
        onlyOnes &= next == 1;
        bitsSinceSymbol++;
        if (step >= 0) {
          node = step;
          continue;
        }
        if (step + 1000 == END_OF_STRING)
          throw new HpackException("a Huffman text holds the mark of its end");
        text.append((char) (step + 1000));
        node = 0;
        bitsSinceSymbol = 0;
        onlyOnes = true;
      }
    if (bitsSinceSymbol > 7 || !onlyOnes)
      throw new HpackException("a Huffman text is not padded with up to seven ones");
    return text.toString();
  }
}
