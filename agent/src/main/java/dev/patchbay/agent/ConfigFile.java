package dev.patchbay.agent;

import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigParts;
import dev.patchbay.agent.config.ConfigProblem;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.watch.PathWatch;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// The agent's configuration file while the agent runs. A change, also the swap of a ConfigMap's
/// link, is read at once; a file that is wrong, or gone, changes nothing.
public final class ConfigFile implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.agent");

  /// A file that is still being written comes in several changes: it is read when it was quiet for
  /// so long.
  private static final Duration QUIET = Duration.ofMillis(50);

  /// As a safety net it is looked at without any event.
  private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

  private final Path file;
  private final Consumer<AgentConfig> onChange;
  private final PathWatch watch;
  private final Thread thread;
  private final AtomicBoolean asked = new AtomicBoolean();
  private String last;

  private ConfigFile(Path file, String last, Consumer<AgentConfig> onChange) {
    this.file = file;
    this.last = last;
    this.onChange = onChange;
    watch = PathWatch.open(PathWatch.Targets.ofFile(file));
    thread = Thread.ofVirtual().name("patchbay-config").unstarted(this::run);
  }

  /// Reads a file.
  public static ConfigReading read(Path file) {
    try {
      return ConfigReader.read(file.toString(), Files.readString(file));
    } catch (IOException e) {
      return new ConfigReading.Wrong(List.of(unreadable(file, e)));
    }
  }

  /// Reads a file that may also be a manifest with ConfigMaps or the values of the chart.
  public static ConfigParts readParts(Path file) {
    try {
      return ConfigParts.read(file.toString(), Files.readString(file));
    } catch (IOException e) {
      return ConfigParts.wrong(unreadable(file, e));
    }
  }

  private static ConfigProblem unreadable(Path file, IOException e) {
    return new ConfigProblem(file.toString(), 0, 0, "", "cannot be read: " + reason(e));
  }

  /// Watches a file.
  ///
  /// @param onChange called with each new configuration that is valid, one at a time
  public static ConfigFile watch(Path file, Consumer<AgentConfig> onChange) {
    String now;
    try {
      now = Files.readString(file);
    } catch (IOException e) {
      now = ""; // whatever comes is new
    }
    var watched = new ConfigFile(file, now, onChange);
    watched.thread.start();
    return watched;
  }

  /// Reads the file again now, and says so, whether it changed or not.
  public void reload() {
    asked.set(true);
    watch.wake();
  }

  /// Whether it would notice a change.
  public AgentHealth.Sign health() {
    return new AgentHealth.Sign(
        "configuration file", thread.isAlive(), thread.isAlive() ? "" : "its thread has ended");
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        boolean changed = watch.await(LOOK_EVERY);
        while (changed && watch.await(QUIET)) {
          // Still being written.
        }
        look();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void look() {
    boolean forced = asked.getAndSet(false);
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      if (forced || !last.isEmpty())
        LOG.log(
            System.Logger.Level.ERROR,
            "configuration unreadable, the one before holds file=" + file + " reason=" + reason(e));
      last = "";
      return;
    }
    if (text.equals(last)) {
      if (forced) LOG.log(System.Logger.Level.INFO, "configuration did not change file=" + file);
      return;
    }
    last = text;
    switch (ConfigReader.read(file.toString(), text)) {
      case ConfigReading.Valid valid -> {
        LOG.log(System.Logger.Level.INFO, "configuration read file=" + file);
        onChange.accept(valid.config());
      }
      case ConfigReading.Wrong wrong -> {
        wrong
            .problems()
            .forEach(
                it -> LOG.log(System.Logger.Level.ERROR, "configuration problem problem=" + it));
        LOG.log(
            System.Logger.Level.ERROR,
            "configuration refused, the one before holds file="
                + file
                + " problems="
                + wrong.problems().size());
      }
    }
  }

  /// Why a file that people write cannot be read, in words for them.
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file";
      case MalformedInputException _ -> "it is not UTF-8";
      default -> String.valueOf(e.getMessage());
    };
  }

  /// Ends the watch. May be called twice.
  @Override
  public void close() {
    watch.close();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
