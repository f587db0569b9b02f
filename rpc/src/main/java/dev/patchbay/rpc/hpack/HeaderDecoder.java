package dev.patchbay.rpc.hpack;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Decodes the header blocks of one direction of a connection, in their order. For one thread.
public final class HeaderDecoder {
  /// The size of the dynamic table unless another one is agreed on.
  private static final int TABLE_SIZE = 4096;

  private final int maxListSize;
  private final Huffman huffman = Huffman.CODE;
  private final HeaderTable table = new HeaderTable(TABLE_SIZE);
  private byte[] block = new byte[0];
  private int at;
  private int end;

  /// What a block holds.
  ///
  /// @param isTooLarge whether headers were left out since the list became larger than is accepted
  public record Decoded(List<Header> headers, boolean isTooLarge) {}

  /// @param maxListSize the largest list that is accepted, with 32 bytes for each header added, as
  ///   SETTINGS_MAX_HEADER_LIST_SIZE counts
  public HeaderDecoder(int maxListSize) {
    this.maxListSize = maxListSize;
  }

  /// Decodes one whole block.
  ///
  /// @throws HpackException when it is malformed; the decoder is of no use after that
  public Decoded decode(byte[] bytes, int from, int length) throws HpackException {
    block = bytes;
    at = from;
    end = from + length;
    List<Header> headers = new ArrayList<>(8);
    boolean sizeMayChange = true;
    int size = 0;
    while (at < end) {
      int first = block[at];
      if ((first & 0xe0) == 0x20) {
        if (!sizeMayChange)
          throw new HpackException("the table's size changes in the middle of a header block");
        changeSize();
        continue;
      }
      sizeMayChange = false;
      Header header = header(first);
      size += header.size();
      if (size <= maxListSize) headers.add(header);
    }
    block = new byte[0];
    return new Decoded(headers, size > maxListSize);
  }

  private void changeSize() throws HpackException {
    int size = integer(5);
    if (size > TABLE_SIZE)
      throw new HpackException("the table would have " + size + " bytes, more than " + TABLE_SIZE);
    table.limit(size);
  }

  private Header header(int first) throws HpackException {
    if ((first & 0x80) != 0) return table.get(integer(7));
    boolean isAdded = (first & 0x40) != 0;
    int index = integer(isAdded ? 6 : 4);
    String name = index == 0 ? text() : table.get(index).name();
    var header = new Header(name, text());
    if (isAdded) table.add(header);
    return header;
  }

  /// Section 5.1: what fits into the lowest bits of the first byte, or these bits set and the rest
  /// in bytes of seven bits each, the lowest first.
  private int integer(int bits) throws HpackException {
    int most = (1 << bits) - 1;
    int value = next() & most;
    if (value < most) return value;
    for (int shift = 0; shift <= 21; shift += 7) {
      int more = next();
      value += (more & 0x7f) << shift;
      if ((more & 0x80) == 0) return value;
    }
    throw new HpackException("a number in a header block has more than five bytes");
  }

  private String text() throws HpackException {
    boolean isHuffman = at < end && (block[at] & 0x80) != 0;
    int length = integer(7);
    if (length > end - at)
      throw new HpackException(
          "a header's text has " + length + " bytes, of which " + (end - at) + " are there");
    String text =
        isHuffman
            ? huffman.decode(block, at, length)
            : new String(block, at, length, StandardCharsets.ISO_8859_1);
    at += length;
    return text;
  }

  private int next() throws HpackException {
    if (at == end) throw new HpackException("a header block ends in the middle of a header");
    return block[at++];
  }
}
