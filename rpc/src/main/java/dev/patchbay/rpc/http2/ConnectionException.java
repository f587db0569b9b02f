package dev.patchbay.rpc.http2;

import java.io.IOException;

/// The peer broke the protocol, and nothing more can be said on this connection.
final class ConnectionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  ConnectionException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  ErrorCode code() {
    return code;
  }
}
