package dev.patchbay.kubelet.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.status.NodeQuantities.Plugins;
import dev.patchbay.model.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeQuantitiesTest {
  private static final SortedMap<String, Long> MACHINE =
      new TreeMap<>(Map.of("cpu", 4000L, "memory", 1024L));
  private static final ResourceName GPU = ResourceName.of("a.b/gpu");

  private static Plugins plugins(
      Map<ResourceName, Long> capacity, Map<ResourceName, Long> healthy) {
    return new Plugins(new TreeMap<>(capacity), new TreeMap<>(healthy), Set.of());
  }

  private static NodeQuantities first(Plugins plugins) {
    return NodeQuantities.NONE.next(MACHINE, new TreeMap<>(), plugins);
  }

  @Test
  void allocatableIsWhatIsHealthy() {
    NodeQuantities node = first(plugins(Map.of(GPU, 4L), Map.of(GPU, 3L)));

    assertThat(node.capacity()).containsEntry("a.b/gpu", 4L).containsEntry("cpu", 4000L);
    assertThat(node.allocatable()).containsEntry("a.b/gpu", 3L).containsEntry("cpu", 4000L);
  }

  @Test
  void whatIsReservedIsNotAllocatable() {
    NodeQuantities node =
        NodeQuantities.NONE.next(
            MACHINE,
            new TreeMap<>(Map.of("cpu", 500L, "memory", 2000L)),
            plugins(Map.of(), Map.of()));

    assertThat(node.allocatable()).containsEntry("cpu", 3500L).containsEntry("memory", 0L);
  }

  @Test
  void memoryInHugePagesIsNotAllocatableAsMemory() {
    SortedMap<String, Long> machine =
        new TreeMap<>(Map.of("memory", 1000L, "hugepages-2Mi", 300L, "hugepages-1Gi", 100L));

    NodeQuantities node =
        NodeQuantities.NONE.next(machine, new TreeMap<>(Map.of("memory", 50L)), Plugins.NONE);

    assertThat(node.capacity()).isEqualTo(machine);
    assertThat(node.allocatable())
        .containsEntry("memory", 550L)
        .containsEntry("hugepages-2Mi", 300L)
        .containsEntry("hugepages-1Gi", 100L);
    assertThat(node.next(machine, new TreeMap<>(Map.of("memory", 50L)), Plugins.NONE))
        .as("the next update")
        .isEqualTo(node);
  }

  @Test
  void aRemovedResourceStaysWithZeroHoweverOftenItIsAsked() {
    NodeQuantities node = first(plugins(Map.of(GPU, 4L), Map.of(GPU, 4L)));
    var removed = new Plugins(new TreeMap<>(), new TreeMap<>(), Set.of(GPU));

    NodeQuantities once = node.next(MACHINE, new TreeMap<>(), removed);

    assertThat(once.capacity()).containsEntry("a.b/gpu", 0L);
    assertThat(once.allocatable()).containsEntry("a.b/gpu", 0L);
    assertThat(once.next(MACHINE, new TreeMap<>(), removed)).isEqualTo(once);
  }

  @Test
  void aResourceOfWhichNothingIsSaidKeepsItsCapacity() {
    NodeQuantities node = first(plugins(Map.of(GPU, 4L), Map.of(GPU, 0L)));

    NodeQuantities next = node.next(MACHINE, new TreeMap<>(), plugins(Map.of(), Map.of()));

    assertThat(next.capacity()).containsEntry("a.b/gpu", 4L);
    assertThat(next.allocatable()).containsEntry("a.b/gpu", 4L);
  }

  @Test
  void anExtendedResourceThatTheCapacityLacksLeavesAllocatable() {
    var node =
        new NodeQuantities(MACHINE, new TreeMap<>(Map.of("a.b/gpu", 2L, "hugepages-2Mi", 0L)));

    assertThat(node.next(MACHINE, new TreeMap<>(), plugins(Map.of(), Map.of())).allocatable())
        .containsOnlyKeys("cpu", "memory", "hugepages-2Mi");
  }

  @Test
  void resetLeavesTheMachinesOwnAlone() {
    NodeQuantities node = first(plugins(Map.of(GPU, 4L), Map.of(GPU, 3L))).reset();

    assertThat(node.capacity()).containsEntry("a.b/gpu", 0L).containsEntry("cpu", 4000L);
    assertThat(node.allocatable()).containsEntry("a.b/gpu", 0L).containsEntry("cpu", 4000L);
  }

  @ParameterizedTest
  @CsvSource({
    "a.b/gpu, true",
    "cpu, false",
    "hugepages-2Mi, false",
    "kubernetes.io/batch, false",
    "attachable-volumes-x, false",
    "requests.a.b/gpu, false",
  })
  void extendedIsWhatHasADomainThatIsNotKubernetesOwn(String name, boolean extended) {
    assertThat(NodeQuantities.isExtended(name)).isEqualTo(extended);
  }

  @Test
  void anythingInTheDirectoryButDotFilesSpeaksAgainstAReset(@TempDir Path dir) throws Exception {
    assertThat(NodeQuantities.isResetDue(dir.resolve("missing"))).isTrue();
    assertThat(NodeQuantities.isResetDue(dir)).isTrue();
    Files.createFile(dir.resolve(".kubelet_internal_checkpoint1"));
    assertThat(NodeQuantities.isResetDue(dir)).isTrue();
    Path any = Files.createFile(dir.resolve("kubelet.sock"));
    assertThat(NodeQuantities.isResetDue(dir)).isFalse();
    assertThat(NodeQuantities.isResetDue(any)).as("no directory").isFalse();
  }
}
