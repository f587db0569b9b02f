package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ResourceName;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemandTest {
  private static final ResourceName FOO = ResourceName.of("a.b/c");

  /// `i` is an init container, `s` a sidecar, `c` another container, each with its number.
  @ParameterizedTest
  @CsvSource({
    "c2,2",
    "c2 c3,5",
    "i4 c2,4",
    "i1 c2,2",
    "i2 i3 c1,3",
    "s2 c1,3",
    "s2 i3 c1,5",
    "i3 s2 c1,3",
    "c0,0"
  })
  void aPodTakesTheMostThatItHasAtOnce(String containers, long expected) {
    assertThat(Demand.of(pod(containers)).get(FOO)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "c1,-1,,no plugin offers a.b/c",
    "c0,-1,,",
    "c2,2,,",
    "c3,2,,'a.b/c: requested 3, allocatable 2, of these used 0'",
    "c1,2,c2,'a.b/c: requested 1, allocatable 2, of these used 2'",
    "c1,2,c1,",
    "c9223372036854775807,2,c9223372036854775807,'a.b/c: requested 9223372036854775807, allocatable 2, of these used 9223372036854775807'"
  })
  void aPodWaitsWhileTheNodeHasTooLittle(
      String containers, long allocatable, String other, String expected) {
    TreeMap<ResourceName, Long> counts = new TreeMap<>();
    if (allocatable >= 0) counts.put(FOO, allocatable);
    assertThat(
            Demand.problem(
                    pod(containers),
                    new NodeResources(counts, counts),
                    other == null ? List.of() : List.of(pod(other)))
                .orElse(null))
        .isEqualTo(expected);
  }

  @Test
  void absurdRequestsDoNotBecomeSmallOnes() {
    assertThat(Demand.of(pod("c9223372036854775807 c9223372036854775807")).get(FOO))
        .isEqualTo(Long.MAX_VALUE);
  }

  private static PodSpec pod(String containers) {
    StringBuilder init = new StringBuilder();
    StringBuilder apps = new StringBuilder();
    for (String one : containers.split(" ", -1)) {
      StringBuilder list = one.startsWith("c") ? apps : init;
      list.append("{name: c")
          .append(init.length() + apps.length())
          .append(one.startsWith("s") ? ", restartPolicy: Always" : "")
          .append(", resources: {limits: {a.b/c: ")
          .append(one.substring(1))
          .append("}}},");
    }
    String text =
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {initContainers: ["
            + init
            + "], containers: ["
            + apps
            + "]}}";
    var manifest = PodManifests.read("f", text);
    assertThat(manifest.problems()).isEmpty();
    return manifest.pods().getFirst();
  }
}
