package dev.patchbay.cli;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/// A command could not do what it was asked for; exit status 1. The message is the whole
/// explanation.
final class Failed extends Exception {
  private static final long serialVersionUID = 1L;

  Failed(String message) {
    super(message);
  }

  /// What a person should read of an exception: the JDK's file exceptions say only a path.
  static String textOf(Throwable failure) {
    return switch (failure) {
      case NoSuchFileException missing -> missing.getFile() + " does not exist";
      case AccessDeniedException denied -> denied.getFile() + " may not be accessed";
      case FileSystemException other ->
          other.getFile()
              + ": "
              + (other.getReason() == null ? other.getClass().getSimpleName() : other.getReason());
      default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
    };
  }
}
