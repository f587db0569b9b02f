package dev.patchbay.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

/// A long-running program in a [PrivatePlace].
///
/// @param entered what entered the place and waits there for the program
/// @param program the program itself
/// @param log its standard output and error
record Daemon(Process entered, ProcessHandle program, Path log) {
  private static final int TAIL = 3000;

  /// As `kill -9` does; returns when it is gone.
  void kill() throws InterruptedException, ExecutionException {
    program.destroyForcibly();
    program.onExit().get();
    entered.waitFor();
  }

  /// As `kill` does; returns when it is gone.
  ///
  /// @return the exit status
  int terminate() throws InterruptedException, ExecutionException {
    program.destroy();
    program.onExit().get();
    return entered.waitFor();
  }

  @Override
  public String toString() {
    try {
      String all = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      return log + ":\n" + all.substring(Math.max(0, all.length() - TAIL));
    } catch (IOException e) {
      return log + ": " + e.getMessage();
    }
  }
}
