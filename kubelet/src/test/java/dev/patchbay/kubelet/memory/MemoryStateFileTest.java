package dev.patchbay.kubelet.memory;

import static dev.patchbay.kubelet.cpu.Guaranteed.MI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.topology.NumaMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryStateFileTest {
  /// As Kubernetes 1.36.3 writes it.
  private static final String OF_THE_KUBELET =
      """
      {"policyName":"Static","machineState":{"0":{"numberOfAssignments":1,"memoryMap":{"memory":\
      {"total":805306368,"systemReserved":33554432,"allocatable":771751936,"reserved":268435456,\
      "free":503316480}},"cells":[0]},"1":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":\
      402653184,"systemReserved":0,"allocatable":402653184,"reserved":0,"free":402653184}},"cells":\
      [1]}},"entries":{"pod0":{"app0":[{"numaAffinity":[0],"type":"memory","size":268435456}]}},\
      "checksum":89257660}\
      """;

  private static final PinnedMemory UNUSED = unused(32);

  @TempDir Path directory;
  private Path path;
  private MemoryStateFile file;

  @BeforeEach
  void nameTheFile() {
    path = directory.resolve("memory_manager_state");
    file = new MemoryStateFile(directory);
  }

  private static PinnedMemory unused(long reservedMi) {
    var reserved = new TreeMap<>(Map.of(0, new TreeMap<>(Map.of("memory", reservedMi * MI))));
    return PinnedMemory.start(
        new MemorySettings(MemoryPolicy.STATIC, new TreeMap<>(reserved)),
        new NumaMachine(List.of(node(0, 768 * MI), node(1, 384 * MI))));
  }

  private static NumaMachine.Node node(int id, long bytes) {
    return new NumaMachine.Node(id, bytes, new TreeMap<>(), List.of(), List.of());
  }

  @Test
  void goesOnFromTheKubeletsFileAndWritesTheSame() throws IOException {
    Files.writeString(path, OF_THE_KUBELET);

    PinnedMemory memory = file.resume(UNUSED);

    assertThat(memory.of("pod0", "app0"))
        .singleElement()
        .satisfies(block -> assertThat(block.sizeBytes()).isEqualTo(256 * MI));
    Files.delete(path);
    file.write(memory.state());
    assertThat(path).hasContent(OF_THE_KUBELET);
  }

  @Test
  void startsUnusedWithoutAFile() throws IOException {
    assertThat(file.resume(UNUSED)).isSameAs(UNUSED);
  }

  @Test
  void everyBrokenByteIsSeen() throws IOException {
    for (int i = 0; i < OF_THE_KUBELET.length(); i++) {
      var text = new StringBuilder(OF_THE_KUBELET);
      text.setCharAt(i, (char) (text.charAt(i) ^ 1));
      Files.writeString(path, text);

      assertThatThrownBy(() -> file.resume(UNUSED))
          .as("byte %d in %s", i, text)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void everyTruncationIsSeen() throws IOException {
    for (int length = 0; length < OF_THE_KUBELET.length(); length++) {
      Files.writeString(path, OF_THE_KUBELET.substring(0, length));

      assertThatThrownBy(() -> file.resume(UNUSED)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void anotherPolicyIsRefusedInTheKubeletsWords() throws IOException {
    file.write(PinnedMemory.start(MemorySettings.NONE, NumaMachine.regular(1, 4, MI)).state());

    assertThat(path)
        .hasContent("{\"policyName\":\"None\",\"machineState\":{},\"checksum\":4236770233}");
    assertThatThrownBy(() -> file.resume(UNUSED))
        .hasMessageStartingWith(
            "could not restore state from checkpoint: [memorymanager] configured policy \"Static\""
                + " differs from state checkpoint policy \"None\", please drain this node");
  }

  @Test
  void aFileOfAnotherReservationIsRefusedInTheKubeletsWords() throws IOException {
    Files.writeString(path, OF_THE_KUBELET);

    assertThatThrownBy(() -> file.resume(unused(64)))
        .hasMessage("[memorymanager] the expected machine state is different from the real one");
  }

  @Test
  void aFileOfAMachineWithOtherNodesIsRefusedInTheKubeletsWords() throws IOException {
    Files.writeString(path, OF_THE_KUBELET);
    PinnedMemory other =
        PinnedMemory.start(
            MemorySettings.reservingOn(1), new NumaMachine(List.of(node(1, 384 * MI))));

    assertThatThrownBy(() -> file.resume(other))
        .hasMessage(
            "[memorymanager] (pod: pod0, container: app0) the memory assignment uses the NUMA that"
                + " does not exist");
  }
}
