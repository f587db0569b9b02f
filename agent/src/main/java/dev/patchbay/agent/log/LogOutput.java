package dev.patchbay.agent.log;

import dev.patchbay.agent.config.LogConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// Where the log of this process goes and how it looks.
public final class LogOutput {
  /// Libraries speak when something is wrong.
  private static final Logger LIBRARIES = Logger.getLogger("");

  private static final Logger OURS = Logger.getLogger("dev.patchbay");

  private LogOutput() {}

  /// Makes the log of this process go to a stream from now on. May be called again.
  public static void configure(LogConfig config, OutputStream out) {
    Formatter format =
        switch (config.format()) {
          case TEXT -> new TextFormat();
          case JSON -> new JsonFormat();
        };
    LogManager.getLogManager().reset();
    LIBRARIES.addHandler(new Lines(out, format));
    LIBRARIES.setLevel(Level.WARNING);
    OURS.setLevel(levelOf(config.level()));
  }

  private static Level levelOf(System.Logger.Level level) {
    return switch (level) {
      case ALL, TRACE, DEBUG -> Level.FINE;
      case INFO -> Level.INFO;
      case WARNING -> Level.WARNING;
      case ERROR -> Level.SEVERE;
      case OFF -> Level.OFF;
    };
  }

  /// Each line is out at once, in one write; nothing is lost when the process is killed.
  private static final class Lines extends Handler {
    private final OutputStream out;

    Lines(OutputStream out, Formatter format) {
      this.out = out;
      setFormatter(format);
    }

    @Override
    public synchronized void publish(LogRecord record) {
      if (!isLoggable(record)) return;
      try {
        out.write(getFormatter().format(record).getBytes(StandardCharsets.UTF_8));
        out.flush();
      } catch (IOException e) {
        reportError("log line not written", e, ErrorManager.WRITE_FAILURE);
      }
    }

    @Override
    public void flush() {
      // Each line is.
    }

    @Override
    public void close() {
      // The stream is the process's.
    }
  }

  /// The names of levels in the log.
  static String nameOf(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) return "error";
    if (level.intValue() >= Level.WARNING.intValue()) return "warning";
    if (level.intValue() >= Level.INFO.intValue()) return "info";
    return "debug";
  }
}
