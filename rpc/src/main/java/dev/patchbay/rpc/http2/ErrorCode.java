package dev.patchbay.rpc.http2;

/// Why a stream or connection ends: RFC 9113, section 7.
public enum ErrorCode {
  NO_ERROR(0x0),
  PROTOCOL_ERROR(0x1),
  INTERNAL_ERROR(0x2),
  FLOW_CONTROL_ERROR(0x3),
  SETTINGS_TIMEOUT(0x4),
  STREAM_CLOSED(0x5),
  FRAME_SIZE_ERROR(0x6),
  REFUSED_STREAM(0x7),
  CANCEL(0x8),
  COMPRESSION_ERROR(0x9),
  CONNECT_ERROR(0xa),
  ENHANCE_YOUR_CALM(0xb),
  INADEQUATE_SECURITY(0xc),
  HTTP_1_1_REQUIRED(0xd);

  private static final ErrorCode[] ALL = values();

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /// The code with this number; unknown ones count as an internal error, as the RFC says.
  public static ErrorCode of(int number) {
    for (ErrorCode code : ALL) if (code.number == number) return code;
    return INTERNAL_ERROR;
  }
}
