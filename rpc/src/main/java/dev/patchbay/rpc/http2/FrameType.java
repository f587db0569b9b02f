package dev.patchbay.rpc.http2;

/// The kinds of frames, their numbers, and their flags: RFC 9113, section 6.
enum FrameType {
  DATA(0x0),
  HEADERS(0x1),
  PRIORITY(0x2),
  RST_STREAM(0x3),
  SETTINGS(0x4),
  PUSH_PROMISE(0x5),
  PING(0x6),
  GOAWAY(0x7),
  WINDOW_UPDATE(0x8),
  CONTINUATION(0x9),
  /// None that this program knows: to be ignored.
  UNKNOWN(-1);

  /// Of DATA and HEADERS: nothing follows on this stream.
  static final int END_STREAM = 0x1;

  /// Of SETTINGS and PING.
  static final int ACK = 0x1;

  /// Of HEADERS and CONTINUATION: the block is complete.
  static final int END_HEADERS = 0x4;

  static final int PADDED = 0x8;

  /// Of HEADERS: five bytes of an abandoned scheme precede the block.
  static final int HAS_PRIORITY = 0x20;

  private static final FrameType[] ALL = values();

  private final int number;

  FrameType(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static FrameType of(int number) {
    for (FrameType type : ALL) if (type.number == number) return type;
    return UNKNOWN;
  }
}
