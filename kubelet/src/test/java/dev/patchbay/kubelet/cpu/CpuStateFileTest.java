package dev.patchbay.kubelet.cpu;

import static dev.patchbay.kubelet.cpu.Guaranteed.container;
import static dev.patchbay.kubelet.cpu.Guaranteed.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuStateFileTest {
  /// As Kubernetes 1.36.3 writes it.
  private static final String OF_THE_KUBELET =
      "{\"policyName\":\"static\",\"defaultCpuSet\":\"0-1,6-7\","
          + "\"entries\":{\"pod0\":{\"app0\":\"2-5\"}},\"checksum\":2135868020}";

  /// As Kubernetes 1.37.0 writes it.
  private static final String OF_A_NEWER_KUBELET =
      """
      {"policyName":"static","defaultCpuSet":"0,3-7","entries":{"u1":{"c":"1-2"}},\
      "checksum":2071515496,\
      "data":"{\\"policyName\\":\\"static\\",\\"defaultCpuSet\\":\\"0,3-7\\",\
      \\"entries\\":{\\"u1\\":{\\"c\\":\\"1-2\\"}}}","dataChecksum":3121177295}\
      """;

  private static final ExclusiveCpus UNUSED =
      ExclusiveCpus.start(CpuSettings.reserving(2), NumaMachine.regular(2, 4, 1 << 30));

  @TempDir Path directory;
  private Path path;
  private CpuStateFile file;

  @BeforeEach
  void nameTheFile() {
    path = directory.resolve("cpu_manager_state");
    file = new CpuStateFile(directory);
  }

  @Test
  void goesOnFromTheKubeletsFileAndWritesTheSame() throws IOException {
    Files.writeString(path, OF_THE_KUBELET);

    ExclusiveCpus cpus = file.resume(UNUSED);

    assertThat(cpus.of("pod0", "app0")).hasToString("2-5");
    Files.delete(path);
    file.write(cpus.state());
    assertThat(path).hasContent(OF_THE_KUBELET);
  }

  @Test
  void goesOnFromTheFileOfANewerKubelet() throws IOException {
    var oneReserved =
        ExclusiveCpus.start(
            CpuSettings.reserving(CpuSet.of(0)), NumaMachine.regular(2, 4, 1 << 30));
    Files.writeString(path, OF_A_NEWER_KUBELET);

    assertThat(file.resume(oneReserved).of("u1", "c")).hasToString("1-2");

    for (String damaged :
        List.of(
            OF_A_NEWER_KUBELET.replace("3121177295", "3121177296"),
            OF_A_NEWER_KUBELET.replace("\"data\":\"{", "\"data\":\"["),
            OF_A_NEWER_KUBELET.replace("\"data\"", "\"date\""))) {
      Files.writeString(path, damaged);
      assertThatThrownBy(() -> file.resume(oneReserved)).hasMessageContaining("is corrupted");
    }
  }

  @Test
  void startsUnusedWithoutAFile() throws IOException {
    assertThat(file.resume(UNUSED)).isSameAs(UNUSED);
  }

  @Test
  void aStateGoesOnAfterARestart() throws IOException {
    PodSpec pod = pod("p", container("init", 3000), container("main", 2000));
    var cpus = UNUSED;
    for (var container : pod.allContainers())
      if (cpus.reserve(pod, container, TopologyHint.NONE) instanceof CpuDecision.Granted granted)
        cpus = granted.next();
    file.write(cpus.state());

    assertThat(file.resume(UNUSED).state()).isEqualTo(cpus.state());
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
    file.write(ExclusiveCpus.start(CpuSettings.NONE, NumaMachine.regular(1, 4, 1 << 30)).state());

    assertThatThrownBy(() -> file.resume(UNUSED))
        .hasMessage(
            "could not restore state from checkpoint: configured policy \"static\" differs from"
                + " state checkpoint policy \"none\", please drain this node and delete the CPU"
                + " manager checkpoint file \""
                + path
                + "\" before restarting Kubelet");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1,6-7   | 2-5   | not all reserved cpus: \"0-1\" are present in defaultCpuSet: \"1,6-7\"",
        "0-2,6-7 | 2-5   | pod: p, container: c cpuset: \"2-5\" overlaps with default cpuset \"0-2,6-7\"",
        "0-1,6-7 | 2-4   | current set of available CPUs \"0-7\" doesn't match with CPUs in state \"0-4,6-7\"",
        "0-1,6-8 | 2-5   | current set of available CPUs \"0-7\" doesn't match with CPUs in state \"0-8\""
      })
  void aFileOfAnotherMachineIsRefusedInTheKubeletsWords(String shared, String owned, String message)
      throws IOException {
    var held = new TreeMap<String, SortedMap<String, CpuSet>>();
    held.put("p", new TreeMap<>(Map.of("c", CpuSet.parse(owned))));
    file.write(new CpuState("static", CpuSet.parse(shared), held));

    assertThatThrownBy(() -> file.resume(UNUSED)).hasMessage(message);
  }
}
