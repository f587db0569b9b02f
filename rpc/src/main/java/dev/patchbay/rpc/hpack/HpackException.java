package dev.patchbay.rpc.hpack;

import java.io.IOException;

/// A header block that cannot be decoded. Nothing that follows on the connection can be, either.
public final class HpackException extends IOException {
  private static final long serialVersionUID = 1L;

  HpackException(String message) {
    super(message);
  }
}
