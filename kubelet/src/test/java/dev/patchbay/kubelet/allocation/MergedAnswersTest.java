package dev.patchbay.kubelet.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.model.ContainerEdits.Mount;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MergedAnswersTest {
  private static final ContainerEdits FIRST =
      new ContainerEdits(
          Map.of("A", "1", "BOTH", "same", "X", "first"),
          List.of(
              new DeviceNode("/dev/a", "/dev/a", "rw"), new DeviceNode("/dev/x", "/dev/x", "rw")),
          List.of(new Mount("/a", "/a", true), new Mount("/x", "/x", true)),
          Map.of("a", "1", "x", "first"),
          List.of("v.example/c=1", "v.example/c=2"));
  private static final ContainerEdits SECOND =
      new ContainerEdits(
          Map.of("B", "2", "BOTH", "same", "X", "second"),
          List.of(
              new DeviceNode("/dev/y", "/dev/x", "rw"), new DeviceNode("/dev/b", "/dev/b", "r")),
          List.of(new Mount("/x", "/x", false), new Mount("/b", "/b", false)),
          Map.of("b", "2", "x", "second"),
          List.of("v.example/c=2", "v.example/c=3"));

  @Test
  void theFirstOfTwoThatDifferIsKept() {
    ContainerEdits merged = MergedAnswers.of(List.of(FIRST, SECOND)).edits();

    assertThat(merged.env())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("A", "1", "B", "2", "BOTH", "same", "X", "first"));
    assertThat(merged.deviceNodes())
        .containsExactly(
            new DeviceNode("/dev/a", "/dev/a", "rw"),
            new DeviceNode("/dev/x", "/dev/x", "rw"),
            new DeviceNode("/dev/b", "/dev/b", "r"));
    assertThat(merged.mounts())
        .containsExactly(
            new Mount("/a", "/a", true), new Mount("/x", "/x", true), new Mount("/b", "/b", false));
    assertThat(merged.annotations())
        .containsExactlyInAnyOrderEntriesOf(Map.of("a", "1", "b", "2", "x", "first"));
    assertThat(merged.cdiDevices())
        .containsExactly("v.example/c=1", "v.example/c=2", "v.example/c=3");
  }

  @Test
  void whatDiffersIsNamedAndWhatIsEqualIsNot() {
    assertThat(MergedAnswers.of(List.of(FIRST, SECOND)).conflicts())
        .containsExactly(
            "variable X: first, not second",
            "annotation x: first, not second",
            "device node /dev/x: DeviceNode[hostPath=/dev/x, containerPath=/dev/x, permissions=rw],"
                + " not DeviceNode[hostPath=/dev/y, containerPath=/dev/x, permissions=rw]",
            "mount /x: Mount[hostPath=/x, containerPath=/x, readOnly=true],"
                + " not Mount[hostPath=/x, containerPath=/x, readOnly=false]");
    assertThat(MergedAnswers.of(List.of(FIRST, FIRST)).conflicts()).isEmpty();
  }

  @Test
  void noAnswersAreNothing() {
    assertThat(MergedAnswers.of(List.of()).edits()).isEqualTo(ContainerEdits.NONE);
  }
}
