package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Starts with checkpoints and directories that are not as they should be.
class CheckpointRecoveryTest {
  private static final String NO_EDITS = "";

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay.kubelet");

  @TempDir private Path temporary = Path.of("/nonexistent");

  @Test
  void aCorruptCheckpointIsPutAsideAndTheStartGoesOn() throws IOException {
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("p", 1));
    Path file = kubelet.directory().resolve(CheckpointFile.NAME);
    kubelet.manager().close();
    Files.writeString(file, Files.readString(file).replace("\"a\"", "\"b\""));

    kubelet.restart().sourcesReady(true);

    assertThat(log.lines())
        .anyMatch(line ->
            line.startsWith(
                "SEVERE checkpoint not used, starting without allocations file="
                    + file
                    + " reason=checkpoint is corrupted: its checksum is "));
    assertThat(kubelet.directory().resolve("." + CheckpointFile.NAME + ".unusable")).exists();
    assertThat(kubelet.manager().held()).isEmpty();
    assertThat(kubelet.counts(GPU)).as("nothing is known").isEqualTo("-");
    kubelet.registered(GPU, "a");
    kubelet.admit(pod("q", 1));
    assertThat(kubelet.restart().held()).containsOnlyKeys("q");
  }

  @Test
  void aCheckpointOfARealKubeletIsTakenOver() throws IOException {
    kubelet.manager().close();
    Files.writeString(
        kubelet.directory().resolve(CheckpointFile.NAME),
        """
        {"Data":{"PodDeviceEntries":[{"PodUID":"bf52b2cd-b611-4e79-86b1-280b283185c3",\
        "ContainerName":"check","ResourceName":"nvidia.com/gpu","DeviceIDs":{"-1":["tegra"]},\
        "AllocResp":"Ch8KFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSBXRlZ3Jh"}],\
        "RegisteredDevices":{"nvidia.com/gpu":["tegra"]}},"Checksum":3660592824}\
        """);

    Kubelet restarted = kubelet.restart();

    ResourceName gpu = ResourceName.of("nvidia.com/gpu");
    String uid = "bf52b2cd-b611-4e79-86b1-280b283185c3";
    assertThat(kubelet.held(uid, "check", gpu)).isEqualTo("[tegra]");
    assertThat(kubelet.counts(gpu)).isEqualTo("0/0");
    PodSpec pod = pod(uid, List.of(), Pods.container("check", Map.of(gpu, 1L), false));
    assertThat(restarted.runOptions(pod, "check"))
        .contains(ContainerEdits.ofEnv("NVIDIA_VISIBLE_DEVICES", "tegra"));
  }

  @Test
  void anEntryThatCannotBeIsSkippedAndTheOthersCount() throws IOException {
    kubelet.manager().close();
    var known = new TreeMap<String, @Nullable List<String>>();
    known.put("vendor.example/gpu", List.of());
    known.put("not a name", null);
    new CheckpointFile(kubelet.directory())
        .write(
            new Checkpoint(
                List.of(
                    entry("no-name", "gpu", devices(0, "a"), NO_EDITS),
                    entry("no-id", "vendor.example/gpu", devices(0, ""), NO_EDITS),
                    entry("no-node", "vendor.example/gpu", devices(1L << 40, "a"), NO_EDITS),
                    entry("no-message", "vendor.example/gpu", devices(0, "a"), "////"),
                    entry("no-answer", "vendor.example/gpu", devices(0, "a"), null),
                    entry("no-devices", "vendor.example/gpu", null, NO_EDITS),
                    entry("good", "vendor.example/gpu", devices(0, "b"), NO_EDITS)),
                known));

    Kubelet restarted = kubelet.restart();

    assertThat(kubelet.held("good", "main", GPU)).isEqualTo("[b]");
    assertThat(restarted.held()).containsOnlyKeys("good", "no-devices");
    assertThat(log.lines())
        .hasSize(4)
        .anyMatch(line ->
            line.startsWith(
                "WARNING checkpoint entry skipped pod=no-name resource=gpu reason=resource name"
                    + " \"gpu\" has no slash"));
    assertThat(kubelet.counts(GPU)).isEqualTo("0/0");
  }

  private static Checkpoint.Entry entry(
      String pod,
      String resource,
      @Nullable SortedMap<Long, @Nullable List<String>> devices,
      @Nullable String answer) {
    return new Checkpoint.Entry(pod, "main", resource, devices, answer);
  }

  private static SortedMap<Long, @Nullable List<String>> devices(long node, String id) {
    var devices = new TreeMap<Long, @Nullable List<String>>();
    devices.put(node, List.of(id));
    return devices;
  }

  @Test
  void aFileWhereTheDirectoryShouldBeIsNamed() throws IOException {
    Path file = Files.writeString(temporary.resolve("device-plugins"), "");

    assertThatStart(file).hasMessage("cannot use " + file + ": " + file + " is not a directory");
  }

  /// Nobody can read it, root neither.
  @Test
  void anUnreadableDirectoryIsNamed() throws IOException {
    Path loop = temporary.resolve("device-plugins");
    Files.createSymbolicLink(loop, loop);

    assertThatStart(loop).hasMessageStartingWith("cannot use " + loop + ": " + loop);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertThatStart(Path directory) {
    try (var manager =
        new Kubelet(KubeletSettings.of(directory), InstantSource.fixed(Instant.EPOCH))) {
      return assertThatThrownBy(() -> manager.start(Set.of())).isInstanceOf(IOException.class);
    }
  }
}
