package dev.patchbay.cli.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.memory.MemoryPolicy;
import dev.patchbay.kubelet.topology.NumaMachine;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What `start` takes beside the control protocol, and how it refuses what it does not know.
final class StartConfigTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static StartConfig read(String config) throws WrongRequest, IOException {
    return StartConfig.read(
        new Arguments("start: config", JSON.readTree(config.replace('\'', '"'))));
  }

  @Test
  void withoutAnythingItIsAUsualKubelet() throws Exception {
    StartConfig config = read("{}");

    assertThat(config.memory().policy()).isEqualTo(MemoryPolicy.NONE);
    assertThat(config.maxPods()).isEqualTo(110);
    assertThat(config.minor()).isEqualTo(KubernetesMinor.V1_36);
  }

  @Test
  void memoryIsReservedPerNodeAndType() throws Exception {
    StartConfig config =
        read(
            "{'memoryPolicy': 'Static', 'maxPods': 3, 'kubernetes': '1.34', 'reservedMemory': ["
                + "{'numaNode': 1, 'limits': {'memory': '1024', 'hugepages-2Mi': 2097152}},"
                + "{'numaNode': 0, 'limits': {'memory': 5}}]}");

    assertThat(config.memory().policy()).isEqualTo(MemoryPolicy.STATIC);
    assertThat(config.memory().reserved())
        .isEqualTo(
            Map.of(0, Map.of("memory", 5L), 1, Map.of("memory", 1024L, "hugepages-2Mi", 2097152L)));
    assertThat(config.maxPods()).isEqualTo(3);
    assertThat(config.minor()).isEqualTo(KubernetesMinor.V1_34);
  }

  @Test
  void aNodeHasHugePagesBySizeInKiB() throws Exception {
    StartConfig config =
        read(
            "{'topology': [{'node_id': 4, 'memory': 8589934592, 'hugepages':"
                + " [{'page_size': 2048, 'num_pages': 7}], 'cores': []}]}");

    assertThat(config.nodes()).singleElement().returns(4, MachineNode::id);
    assertThat(config.nodes().getFirst().hugePages()).isEqualTo(Map.of(2097152L, 7L));
  }

  @Test
  void aCoreMayNameTheCacheThatItShares() throws Exception {
    StartConfig config =
        read(
            "{'topology': [{'node_id': 0, 'cores': [{'core_id': 0, 'thread_ids': [0, 2],"
                + " 'socket_id': 1}, {'core_id': 1, 'thread_ids': [1, 3], 'socket_id': 1,"
                + " 'uncore_caches': [{'id': 7, 'level': 3}]}]}]}");

    assertThat(config.nodes().getFirst().numa().cores())
        .extracting(NumaMachine.Core::cache)
        .containsExactly(1, 7);
  }

  @Test
  void optionsOfTheCpuPolicyAreTexts() throws Exception {
    assertThat(read("{'cpuPolicyOptions': {'full-pcpus-only': 'true'}}").cpuPolicyOptions())
        .isEqualTo(Map.of("full-pcpus-only", "true"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'cpuPolicyOption': {}}     | has \"cpuPolicyOption\", which is unknown",
        "{'cpuPolicyOptions': {'full-pcpus-only': true}} | full-pcpus-only is true; needed is a text",
        "{'memoryPolicy': 'static'}  | memoryPolicy is \"static\"; needed is None or Static",
        "{'memoryPolicy': 'Static'}  | you should specify the system reserved memory",
        "{'kubernetes': '1.12'}      | kubernetes is \"1.12\"; needed is one of [1.34, 1.35, 1.36",
        "{'reservedMemory': [{'numaNode': 0, 'limits': {'memory': '1Gi'}}]} | memory is \"1Gi\";"
            + " needed is a number of bytes",
      })
  void whatItCannotTakeIsRefused(String config, String why) {
    assertThatThrownBy(() -> read(config))
        .isInstanceOf(WrongRequest.class)
        .hasMessageContaining(why);
  }
}
