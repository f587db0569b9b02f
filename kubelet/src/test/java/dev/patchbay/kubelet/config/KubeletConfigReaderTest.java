package dev.patchbay.kubelet.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.cpu.CpuOption;
import dev.patchbay.kubelet.cpu.CpuOptions;
import dev.patchbay.kubelet.cpu.CpuPolicy;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.memory.MemoryPolicy;
import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KubeletConfigReaderTest {
  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;

  /// Two NUMA nodes with four CPUs and 8 GiB each.
  private static final MachineRoom MACHINE =
      new MachineRoom(
          NumaMachine.regular(2, 4, 8 * GIB),
          new TreeMap<>(Map.of("cpu", 8000L, "memory", 16 * GIB, "ephemeral-storage", 100 * GIB)));

  private static final String HEAD =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

  private static KubeletConfigReading read(String fields, ConfigOption... options) {
    return KubeletConfigReader.read(
        "k.yaml", HEAD + fields, List.of(options), MACHINE, KubernetesMinor.V1_36);
  }

  private static KubeletConfigReading.Valid valid(KubeletConfigReading reading) {
    assertThat(reading).isInstanceOf(KubeletConfigReading.Valid.class);
    return (KubeletConfigReading.Valid) reading;
  }

  private static List<String> problems(KubeletConfigReading reading) {
    return reading instanceof KubeletConfigReading.Wrong wrong
        ? wrong.problems().stream().map(ConfigProblem::toString).toList()
        : List.of();
  }

  @Test
  void anOperatorsFileIsUsedAsItIs() {
    var read =
        valid(
            read(
                """
                address: 0.0.0.0
                authentication:
                  anonymous:
                    enabled: false
                cgroupDriver: systemd
                clusterDNS: [10.96.0.10]
                cpuManagerPolicy: static
                cpuManagerReconcilePeriod: 0s
                evictionHard:
                  memory.available: 200Mi
                  nodefs.available: 15%
                  imagefs.available: 15%
                featureGates:
                  TopologyManagerPolicyAlphaOptions: true
                kubeReserved:
                  cpu: 500m
                  memory: 256Mi
                maxPods: 60
                memoryManagerPolicy: Static
                reservedMemory:
                  - numaNode: 0
                    limits:
                      memory: 456Mi
                  - numaNode: 1
                    limits: {memory: 512Mi}
                systemReserved:
                  cpu: 700m
                  memory: 512Mi
                  pid: "1000"
                topologyManagerPolicy: restricted
                topologyManagerPolicyOptions:
                  prefer-closest-numa-nodes: "true"
                topologyManagerScope: pod
                """));
    var config = read.configuration();
    assertThat(config.topology().policy()).isEqualTo("restricted");
    assertThat(config.topology().scope()).isEqualTo("pod");
    assertThat(config.topology().options()).containsEntry("prefer-closest-numa-nodes", "true");
    assertThat(config.cpus().policy()).isEqualTo(CpuPolicy.STATIC);
    assertThat(config.cpus().reservedCount()).as("1.2 cores, rounded up").isEqualTo(2);
    assertThat(config.memory().policy()).isEqualTo(MemoryPolicy.STATIC);
    assertThat(config.memory().reserved().get(1)).containsEntry("memory", 512 * MIB);
    assertThat(config.featureGates())
        .containsExactly(Map.entry("TopologyManagerPolicyAlphaOptions", true));
    assertThat(config.reserved())
        .containsEntry("cpu", 1200L)
        .containsEntry("memory", 968 * MIB)
        .containsOnlyKeys("cpu", "memory", "ephemeral-storage");
    assertThat(config.allocatable())
        .containsEntry("cpu", 6800L)
        .containsEntry("memory", 16 * GIB - 968 * MIB)
        .containsEntry("ephemeral-storage", 100 * GIB - (long) (100 * GIB * (double) 0.15f))
        .containsEntry("pods", 60L);
    assertThat(read.notices())
        .containsExactly(
            "without effect here: address, authentication, cgroupDriver, clusterDNS,"
                + " cpuManagerReconcilePeriod");
  }

  @Test
  void withoutAFileTheKubeletsOwnDefaultsHold() {
    var config =
        valid(KubeletConfigReader.read(List.of(), MACHINE, KubernetesMinor.V1_36)).configuration();
    assertThat(config.topology().policy()).isEqualTo("none");
    assertThat(config.topology().scope()).isEqualTo("container");
    assertThat(config.cpus().policy()).isEqualTo(CpuPolicy.NONE);
    assertThat(config.memory().policy()).isEqualTo(MemoryPolicy.NONE);
    assertThat(config.capacity()).containsEntry("pods", 110L).containsEntry("cpu", 8000L);
    assertThat(config.reserved())
        .containsOnlyKeys("memory", "ephemeral-storage")
        .containsEntry("memory", 100 * MIB);
  }

  @Test
  void emptyTextsAndNullsMeanTheDefault() {
    var config =
        valid(read("topologyManagerPolicy: \"\"\ncpuManagerPolicy: null\nmaxPods: 0\n"))
            .configuration();
    assertThat(config.topology().policy()).isEqualTo("none");
    assertThat(config.maxPods()).isEqualTo(110);
  }

  @Test
  void namedCpusAreReservedInsteadOfAnAmount() {
    var config =
        valid(
                read(
                    "cpuManagerPolicy: static\nreservedSystemCPUs: 0,4\nkubeReserved: {cpu: 3}\n"
                        .replace("cpu: 3", "cpu: '3'")))
            .configuration();
    assertThat(config.cpus().reserved()).isEqualTo(CpuSet.of(0, 4));
    assertThat(config.reserved()).containsEntry("cpu", 2000L);
  }

  @Test
  void optionsOfTheStaticPolicyAreRead() {
    var config =
        valid(
                read(
                    """
                    cpuManagerPolicy: static
                    reservedSystemCPUs: '0'
                    cpuManagerPolicyOptions: {full-pcpus-only: 'true', strict-cpu-reservation: '1', distribute-cpus-across-numa: 'false'}
                    """))
            .configuration();
    assertThat(config.cpus().options())
        .isEqualTo(CpuOptions.of(CpuOption.WHOLE_CORES, CpuOption.STRICT_RESERVATION));
  }

  @ParameterizedTest(name = "{0} in {1} with {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          full-pcpus-only                  | 1.34 | CPUManagerPolicyBetaOptions: false | ``
          strict-cpu-reservation           | 1.34 | CPUManagerPolicyBetaOptions: false | Beta
          strict-cpu-reservation           | 1.35 | CPUManagerPolicyBetaOptions: false | ``
          prefer-align-cpus-by-uncorecache | 1.35 | CPUManagerPolicyBetaOptions: false | Beta
          prefer-align-cpus-by-uncorecache | 1.36 | CPUManagerPolicyBetaOptions: false | ``
          distribute-cpus-across-numa      | 1.36 | CPUManagerPolicyBetaOptions: true  | ``
          distribute-cpus-across-numa      | 1.36 | CPUManagerPolicyBetaOptions: false | Beta
          distribute-cpus-across-cores     | 1.36 | CPUManagerPolicyAlphaOptions: true | ``
          distribute-cpus-across-cores     | 1.34 | CPUManagerPolicyBetaOptions: true  | Alpha
          align-by-socket                  | 1.36 | CPUManagerPolicyAlphaOptions: true | ``
          align-by-socket                  | 1.36 | CPUManagerPolicyAlphaOptions: false | Alpha
          """)
  void optionsOfTheStaticPolicyNeedTheGateOfTheirLevel(
      String option, String minor, String gate, String refusedAs) {
    String fields =
        "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\ncpuManagerPolicyOptions: {%s: 'true'}\nfeatureGates: {%s}\n"
            .formatted(option, gate);
    String text =
        "k.yaml:5: cpuManagerPolicyOptions: CPU Manager Policy %s-level Options not enabled, but option \"%s\" provided"
            .formatted(refusedAs, option);
    assertThat(problems(readFor(KubernetesMinor.of(minor).orElseThrow(), fields)))
        .isEqualTo(refusedAs.isEmpty() ? List.of() : List.of(text));
  }

  @Test
  void thresholdsReplaceTheUsualOnesUnlessTheyAreToBeMerged() {
    String threshold = "evictionHard: {memory.available: 1Gi}\n";
    assertThat(valid(read(threshold)).configuration().reserved())
        .containsOnlyKeys("memory")
        .containsEntry("memory", GIB);
    assertThat(
            valid(read(threshold + "mergeDefaultEvictionSettings: true\n"))
                .configuration()
                .reserved())
        .containsOnlyKeys("memory", "ephemeral-storage");
    assertThat(valid(read("evictionHard: {}\n")).configuration().reserved()).isEmpty();
    assertThat(valid(read("evictionHard: {memory.available: 100%}\n")).configuration().reserved())
        .isEmpty();
  }

  @Test
  void podsPerCoreBoundsTheNumberOfPods() {
    assertThat(valid(read("podsPerCore: 5\n")).configuration().maxPods()).isEqualTo(40);
    assertThat(valid(read("podsPerCore: 50\n")).configuration().maxPods()).isEqualTo(110);
  }

  @Test
  void whatAnOptionSaysWinsOverTheFile() {
    var config =
        valid(
                read(
                    """
                    topologyManagerPolicy: restricted
                    systemReserved: {cpu: '1', memory: 1Gi}
                    featureGates:
                      ResourceHealthStatus: true
                      TopologyManagerPolicyBetaOptions: false
                    """,
                    new ConfigOption(
                        "--topology-manager-policy", "topologyManagerPolicy", "best-effort"),
                    new ConfigOption("--system-reserved", "systemReserved", "cpu=2"),
                    new ConfigOption(
                        "--feature-gates", "featureGates", "ResourceHealthStatus=false"),
                    new ConfigOption("--max-pods", "maxPods", "7")))
            .configuration();
    assertThat(config.topology().policy()).isEqualTo("best-effort");
    assertThat(config.reserved())
        .as("the mapping as a whole")
        .containsEntry("cpu", 2000L)
        .containsEntry("memory", 100 * MIB);
    assertThat(config.featureGates())
        .as("gate by gate")
        .containsEntry("ResourceHealthStatus", false)
        .containsEntry("TopologyManagerPolicyBetaOptions", false);
    assertThat(config.maxPods()).isEqualTo(7);
  }

  @Test
  void aGateWithoutEffectIsNamedWithItsLine() {
    assertThat(valid(read("featureGates:\n  NodeSwap: true\n")).notices())
        .containsExactly("k.yaml:4: featureGates.NodeSwap: has no effect here");
  }

  @Test
  void aVersionsGatesAreItsOwn() {
    String fields =
        "topologyManagerPolicy: restricted\ntopologyManagerPolicyOptions:\n"
            + "  max-allowable-numa-nodes: '9'\nfeatureGates: {TopologyManagerPolicyBetaOptions: false,"
            + " KubeletPodResourcesGet: true}\n";
    assertThat(problems(readFor(KubernetesMinor.V1_34, fields)))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("k.yaml:4: topologyManagerPolicyOptions: topology manager policy beta-level");
    assertThat(problems(readFor(KubernetesMinor.V1_35, fields))).isEmpty();
    assertThat(
            problems(
                readFor(KubernetesMinor.V1_35, "featureGates: {KubeletPodResourcesGet: false}")))
        .isEmpty();
  }

  private static KubeletConfigReading readFor(KubernetesMinor minor, String fields) {
    return KubeletConfigReader.read("k.yaml", HEAD + fields, List.of(), MACHINE, minor);
  }

  @Test
  void reservedMemoryMayBeAnOption() {
    var config =
        valid(
                KubeletConfigReader.read(
                    List.of(
                        new ConfigOption(
                            "--memory-manager-policy", "memoryManagerPolicy", "Static"),
                        new ConfigOption(
                            "--reserved-memory", "reservedMemory", "0:memory=60Mi;1:memory=40Mi")),
                    MACHINE,
                    KubernetesMinor.V1_36))
            .configuration();
    assertThat(config.memory().reserved().get(0)).containsEntry("memory", 60 * MIB);
    assertThat(config.memory().reserved().get(1)).containsEntry("memory", 40 * MIB);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          topologyManagerPolicy: tight                     | k.yaml:3: topologyManagerPolicy: is "tight"; needed is one of none, best-effort, restricted, single-numa-node
          topologyManagerScope: 3                          | k.yaml:3: topologyManagerScope: is 3; needed is a text
          topologyManagerPolicy: restricted / topologyManagerPolicyOptions: {x: y} | k.yaml:4: topologyManagerPolicyOptions: unknown Topology Manager Policy option: "x"
          topologyManagerPolicyOptions: [x]                | k.yaml:3: topologyManagerPolicyOptions: is a list; needed is a mapping
          cpuManagerPolicyOptions: {full-pcpus-only: 'true'} | k.yaml:3: cpuManagerPolicyOptions: are [full-pcpus-only]; the policy none takes no options
          cpuManagerPolicy: static / reservedSystemCPUs: '0' / cpuManagerPolicyOptions: {x: y} | k.yaml:5: cpuManagerPolicyOptions: unknown CPU Manager Policy option: "x"
          cpuManagerPolicy: static / reservedSystemCPUs: '0' / cpuManagerPolicyOptions: {full-pcpus-only: 'yes'} | k.yaml:5: cpuManagerPolicyOptions: bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax
          cpuManagerPolicy: static / reservedSystemCPUs: '0' / cpuManagerPolicyOptions: {align-by-socket: 'true'} | k.yaml:5: cpuManagerPolicyOptions: CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided
          cpuManagerPolicy: static / reservedSystemCPUs: '0' / topologyManagerPolicy: single-numa-node / featureGates: {CPUManagerPolicyAlphaOptions: true} / cpuManagerPolicyOptions: {align-by-socket: 'true'} | k.yaml:7: cpuManagerPolicyOptions: Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option
          featureGates: {CPUManagerPolicyOptions: false}   | k.yaml:3: featureGates.CPUManagerPolicyOptions: is false; in Kubernetes 1.36 it is locked to true
          cpuManagerPolicy: dynamic                        | k.yaml:3: cpuManagerPolicy: is "dynamic"; needed is one of none, static
          cpuManagerPolicy: static                         | k.yaml:3: cpuManagerPolicy: [cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero
          reservedSystemCPUs: 3-1                          | k.yaml:3: reservedSystemCPUs: invalid range "3-1" (3 > 1)
          reservedSystemCPUs: 7-8                          | k.yaml:3: reservedSystemCPUs: is 7-8; needed are CPUs of this machine, which has 0-7
          memoryManagerPolicy: static                      | k.yaml:3: memoryManagerPolicy: is "static"; needed is one of None, Static
          memoryManagerPolicy: Static                      | k.yaml:1: reservedMemory: is 0 bytes of memory on all NUMA nodes together; needed are 104857600, which systemReserved, kubeReserved and evictionHard keep of the node
          systemReserved: {cpu: 1}                         | k.yaml:3: systemReserved.cpu: is 1; needed is a text
          systemReserved: {cpu: many}                      | k.yaml:3: systemReserved.cpu: is "many"; needed is a quantity, such as 500m or 1Gi
          kubeReserved: {cpu: '-1'}                        | k.yaml:3: kubeReserved.cpu: is "-1", which is negative
          kubeReserved: {example.com/gpu: '1'}             | k.yaml:3: kubeReserved[example.com/gpu]: cannot be reserved; needed is one of cpu, memory, ephemeral-storage, pid
          systemReserved: {cpu: '9'}                       | k.yaml:3: systemReserved: with kubeReserved and evictionHard is 9000 of cpu; this machine has 8000
          evictionHard: {memory: 1Gi}                      | k.yaml:3: evictionHard.memory: is no signal of eviction; needed is one of memory.available, allocatableMemory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, containerfs.available, containerfs.inodesFree, pid.available
          evictionHard: {memory.available: 101%}           | k.yaml:3: evictionHard[memory.available]: is "101%"; needed is a share from 0% to 100%
          evictionHard: {memory.available: '0'}            | k.yaml:3: evictionHard[memory.available]: is "0"; needed is more than nothing
          reservedMemory: [{numaNode: 2, limits: {}}]      | ``
          reservedMemory: [{numaNode: -1}]                 | k.yaml:3: reservedMemory[0].numaNode: is -1; needed is the number of a NUMA node
          reservedMemory: [{numaNode: 0, limits: {cpu: 1}}] | k.yaml:3: reservedMemory[0].limits.cpu: is no memory; needed is memory or hugepages-<size>
          reservedMemory: [{node: 0}]                      | k.yaml:3: reservedMemory[0].node: is unknown; known are numaNode and limits
          featureGates: {KubeletPodResourcesGet: false}    | k.yaml:3: featureGates.KubeletPodResourcesGet: is false; in Kubernetes 1.36 it is locked to true
          featureGates: {ResourceHealthStatus: maybe}      | k.yaml:3: featureGates.ResourceHealthStatus: is "maybe"; needed is true or false
          maxPods: -1                                      | k.yaml:3: maxPods: is -1; needed is a whole number from 0 to 2147483647
          maxPods: lots                                    | k.yaml:3: maxPods: is "lots"; needed is a whole number from 0 to 2147483647
          topologyManagerPolcy: none                       | k.yaml:3: topologyManagerPolcy: is no field of a KubeletConfiguration
          """)
  void whatIsWrongIsSaidWithItsPlace(String field, String problem) {
    assertThat(problems(read(field.replace(" / ", "\n") + "\n")))
        .isEqualTo(problem.isEmpty() ? List.of() : List.of(problem));
  }
}
