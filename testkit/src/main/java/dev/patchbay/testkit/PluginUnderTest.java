package dev.patchbay.testkit;

import java.io.IOException;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedSet;

/// A device plugin that was started to be judged by [PluginContract], in this process or in one of
/// its own. [#close] asks it to end and waits until it has.
public interface PluginUnderTest extends AutoCloseable {
  /// The resources that it serves and the ids of all their devices, each of which is healthy at the
  /// start. The first resource is the one that is judged; with more than one, they are also judged
  /// not to hold each other up.
  SequencedMap<String, SortedSet<String>> devices();

  /// The process that it runs in; this one unless said otherwise.
  default long pid() {
    return ProcessHandle.current().pid();
  }

  /// Whether it still runs.
  default boolean isRunning() {
    return true;
  }

  /// The way to make its devices ill and well again. Without one, what follows from a change is not
  /// judged, and the report says so.
  default Optional<HealthSwitch> healthSwitch() {
    return Optional.empty();
  }

  @Override
  void close() throws IOException;

  /// Changes devices of the first resource, as the world would: removes a node, writes a file.
  interface HealthSwitch {
    /// The device cannot be used from now on.
    void makeUnhealthy(String id) throws Exception;

    /// It can again.
    void makeHealthy(String id) throws Exception;
  }
}
