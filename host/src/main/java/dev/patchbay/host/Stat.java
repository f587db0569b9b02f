package dev.patchbay.host;

/// What a path is.
///
/// @param major the device number's first part; 0 unless [#isDevice]
/// @param minor the device number's second part; 0 unless [#isDevice]
/// @param mode the twelve permission bits
public record Stat(Kind kind, int major, int minor, int mode) {
  /// Kinds of files.
  public enum Kind {
    CHARACTER_DEVICE("a character device"),
    BLOCK_DEVICE("a block device"),
    DIRECTORY("a directory"),
    FILE("a regular file"),
    LINK("a symbolic link"),
    SOCKET("a socket"),
    OTHER("a pipe or the like");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /// Whether this is a character or block device.
  public boolean isDevice() {
    return kind == Kind.CHARACTER_DEVICE || kind == Kind.BLOCK_DEVICE;
  }
}
