package dev.patchbay.kubelet.allocation;

import static dev.patchbay.kubelet.inventory.DeviceNotation.devices;
import static dev.patchbay.kubelet.inventory.DeviceNotation.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.inventory.DeviceTable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AffinityGroupsTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          # what                             | all devices     | free    | nodes | aligned | unaligned | no affinity
          nobody has nodes                   | a b             | a b     | 0     | ''      | ''        | a b
          near, far and nowhere              | a@0 b@1 c       | a b c   | 0     | a       | b         | c
          on a chosen node and another       | a@0+1 b@1+2     | a b     | 0     | a       | b         | ''
          on two chosen nodes                | a@0+1 b@2       | a b     | 0+1   | a       | b         | ''
          all on chosen nodes                | a@0 b@1 c@2     | a b c   | 0+1+2 | a b c   | ''        | ''
          none on chosen nodes               | a@0 b@1         | a b     | 7     | ''      | a b       | ''
          no node is chosen                  | a@0 b           | a b     | ''    | ''      | a         | b
          only free ones are grouped         | a@0 b@0 c@1 d@1 | b d     | 0     | b       | d         | ''
          nodes of those in use count        | a@0 b c         | b c     | 0     | ''      | ''        | b c
          unhealthy ones that are free       | !a@0 b@1        | a b     | 0     | a       | b         | ''
          nothing is free                    | a@0 b@1         | ''      | 0     | ''      | ''        | ''
          """)
  void groups(
      String what,
      String all,
      String free,
      String nodes,
      String aligned,
      String unaligned,
      String noAffinity) {
    DeviceTable table = devices(all);
    assertThat(AffinityGroups.of(table, table.placesOf(ids(free)), Optional.of(nodes(nodes))))
        .isEqualTo(
            new AffinityGroups(
                table.placesOf(ids(aligned)),
                table.placesOf(ids(unaligned)),
                table.placesOf(ids(noAffinity))));
  }

  @Test
  void withoutAnOpinionAllAreEqual() {
    DeviceTable table = devices("a@0 b@1 c");
    assertThat(AffinityGroups.of(table, table.healthy(), Optional.empty()))
        .isEqualTo(new AffinityGroups(new BitSet(), new BitSet(), table.healthy()));
  }

  static Set<Integer> nodes(String text) {
    return Arrays.stream(text.split("\\+", -1))
        .filter(word -> !word.isEmpty())
        .map(Integer::valueOf)
        .collect(Collectors.toSet());
  }
}
