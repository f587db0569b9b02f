package dev.patchbay.rpc.hpack;

/// One header field. Its text holds bytes: each character is one, 0 to 255.
public record Header(String name, String value) {
  /// What it counts for in a table's or list's size: RFC 7541, section 4.1.
  int size() {
    return name.length() + value.length() + 32;
  }
}
