package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.checkpoint.StateFile;
import java.io.IOException;
import java.nio.file.Path;

/// The file in which the state outlives the kubelet. The real kubelet reads what is written here,
/// and the other way round.
public final class CpuStateFile {
  /// The file's name in the kubelet's root directory.
  public static final String NAME = "cpu_manager_state";

  private final StateFile<CpuState> file;

  /// The state file in this directory.
  public CpuStateFile(Path directory) {
    this.file = new StateFile<>(directory, NAME, "CPU", "", new CpuStateFormat());
  }

  /// The state that goes on from the file, or the given one when there is no file. The real kubelet
  /// exits where this throws.
  ///
  /// @param fresh the state of a machine on which nobody owns a CPU
  /// @throws IOException when the file is damaged, is of another policy, or does not fit the
  ///   machine; the text is the kubelet's
  public ExclusiveCpus resume(ExclusiveCpus fresh) throws IOException {
    var saved = file.read(fresh.state().policy());
    return saved.isEmpty() ? fresh : fresh.resume(saved.get());
  }

  /// Replaces the file.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(CpuState state) throws IOException {
    file.write(state);
  }
}
