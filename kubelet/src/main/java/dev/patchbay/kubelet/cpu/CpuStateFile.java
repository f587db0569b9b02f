package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.checkpoint.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The file in which the state outlives the kubelet. The real kubelet reads what is written here,
/// and the other way round.
public final class CpuStateFile {
  /// The file's name in the kubelet's root directory.
  public static final String NAME = "cpu_manager_state";

  private final WholeFile file;

  /// The state file in this directory.
  public CpuStateFile(Path directory) {
    this.file = new WholeFile(directory, NAME);
  }

  /// The state that goes on from the file, or the given one when there is no file. The real kubelet
  /// exits where this throws.
  ///
  /// @param fresh the state of a machine on which nobody owns a CPU
  /// @throws IOException when the file is damaged, is of another policy, or does not fit the
  ///   machine; the text is the kubelet's
  public ExclusiveCpus resume(ExclusiveCpus fresh) throws IOException {
    Optional<CpuState> saved;
    try {
      saved = read(fresh.state().policy());
    } catch (IOException e) {
      throw new IOException(
          "could not restore state from checkpoint: "
              + e.getMessage()
              + ", please drain this node and delete the CPU manager checkpoint file \""
              + file.path()
              + "\" before restarting Kubelet",
          e);
    }
    return saved.isEmpty() ? fresh : fresh.resume(saved.get());
  }

  private Optional<CpuState> read(String policy) throws IOException {
    Optional<String> text = file.read();
    if (text.isEmpty()) return Optional.empty();
    CpuState saved = CpuStateFormat.read(text.get());
    if (!saved.policy().equals(policy))
      throw new IOException(
          "configured policy \""
              + policy
              + "\" differs from state checkpoint policy \""
              + saved.policy()
              + "\"");
    return Optional.of(saved);
  }

  /// Replaces the file.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(CpuState state) throws IOException {
    file.write(CpuStateFormat.write(state));
  }
}
