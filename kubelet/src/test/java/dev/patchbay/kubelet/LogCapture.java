package dev.patchbay.kubelet;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/// What is logged under a name until it is closed, instead of on the console.
public final class LogCapture implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level before;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler = new Keeping();

  private LogCapture(Logger logger) {
    this.logger = logger;
    before = logger.getLevel();
    logger.setLevel(Level.WARNING);
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  /// Captures warnings and errors, whatever the configuration of the logs.
  public static LogCapture of(String name) {
    return new LogCapture(Logger.getLogger(name));
  }

  /// Level and message of each.
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(before);
  }

  private final class Keeping extends Handler {
    @Override
    public void publish(LogRecord message) {
      lines.add(message.getLevel() + " " + new SimpleFormatter().formatMessage(message));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
