package dev.patchbay.kubelet;

import dev.patchbay.kubelet.cpu.CpuStateFile;
import dev.patchbay.kubelet.cpu.ExclusiveCpus;
import dev.patchbay.kubelet.memory.MemoryStateFile;
import dev.patchbay.kubelet.memory.PinnedMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The files in which CPUs and memory of containers outlive the kubelet. Of several writes at a
/// time each writes the newest state, and a state that is written already is not written again.
final class HostStateFiles {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final Optional<Path> directory;
  // Only for the order of writes; never taken inside the ledger's lock.
  private final ReentrantLock writing = new ReentrantLock();
  private boolean ended;
  private @Nullable ExclusiveCpus writtenCpus;
  private @Nullable PinnedMemory writtenMemory;

  /// Files in this directory; none without one.
  HostStateFiles(Optional<Path> directory) {
    this.directory = directory;
  }

  /// The state that goes on from the files, or the fresh one where there are none.
  ///
  /// @throws IOException when a file is damaged, or does not fit the machine or the settings
  HostState resume(HostState fresh) throws IOException {
    if (directory.isEmpty()) return fresh;
    return new HostState(
        new CpuStateFile(directory.get()).resume(fresh.cpus()),
        new MemoryStateFile(directory.get()).resume(fresh.memory()));
  }

  /// Writes what has changed. As in the kubelet, a pod is not refused because its state could not
  /// be written: it is logged, and the next change writes it again.
  void tryWrite(Supplier<HostState> newest) {
    if (directory.isEmpty()) return;
    writing.lock();
    try {
      if (!ended) write(directory.get(), newest.get());
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "state of CPUs and memory not written directory=" + directory.get() + " reason=" + e);
    } finally {
      writing.unlock();
    }
  }

  /// Leaves the files to whoever comes next: what is not written by now never is.
  void end() {
    writing.lock();
    try {
      ended = true;
    } finally {
      writing.unlock();
    }
  }

  private void write(Path to, HostState state) throws IOException {
    if (writtenCpus != state.cpus()) {
      new CpuStateFile(to).write(state.cpus().state());
      writtenCpus = state.cpus();
    }
    if (writtenMemory != state.memory()) {
      new MemoryStateFile(to).write(state.memory().state());
      writtenMemory = state.memory();
    }
  }
}
