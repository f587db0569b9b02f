package dev.patchbay.drivers.devicenode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A path stands in the tables as its matches, then `*limit`, then `?` when it is optional:
/// `t0,t1*2?`. Devices are their matches joined by `+`.
final class CombinationsTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      textBlock =
          """
          each match of one path is a device        | t0,t1,t2      | t0 t1 t2
          a limit alone makes no more devices       | t0,t1*5       | t0 t1
          no match, no device                       | *1            | none
          two paths pair by their order             | c0,c1 p0,p1   | c0+p0 c1+p1
          what has no partner is left over          | c0,c1,c2 p0   | c0+p0
          the longer list may stand second          | p0 c0,c1      | p0+c0
          a partner may be shared up to its limit   | t0,t1,t2,t3 f*10 | t0+f t1+f t2+f t3+f
          and no further                            | t0,t1,t2,t3 f*2  | t0+f t1+f
          not at all without a limit                | t0,t1,t2,t3 f*1  | t0+f
          several partners are shared in turn       | t0,t1,t2,t3 f,g*2 | t0+f t1+g t2+f t3+g
          there are no more devices than matches    | t0*4 f*4      | t0+f
          the order is that of the configuration    | b a           | b+a
          a missing partner leaves no device        | t0,t1 *1      | none
          a missing optional one is left out        | t0,t1 *1?     | t0 t1
          one that is there limits like the others  | t0,t1 f?      | t0+f
          one that is there is shared like the others | t0,t1 f*2?  | t0+f t1+f
          optional ones alone are devices           | t0,t1?        | t0 t1
          missing optional ones alone are none      | *1? *1?       | none
          """)
  void makesDevicesOfTheMatchesOfAllPaths(String name, String paths, String devices) {
    assertThat(combined(paths)).isEqualTo(devices == null ? "" : devices);
  }

  private static String combined(String paths) {
    List<PathSpec> specs = new ArrayList<>();
    List<List<String>> matches = new ArrayList<>();
    for (String path : paths.split(" ", -1)) {
      boolean optional = path.endsWith("?");
      String[] parts = path.replace("?", "").split("\\*", -1);
      int limit = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
      specs.add(new PathSpec("/dev/*", "", PathType.DEVICE, "rw", false, limit, optional));
      matches.add(parts[0].isEmpty() ? List.of() : List.of(parts[0].split(",", -1)));
    }
    return Combinations.of(specs, matches).stream()
        .map(device ->
            device.stream().map(Combinations.Match::path).collect(Collectors.joining("+")))
        .collect(Collectors.joining(" "));
  }
}
