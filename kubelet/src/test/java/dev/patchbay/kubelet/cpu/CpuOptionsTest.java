package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.kubelet.topology.NumaMachine;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuOptionsTest {
  private static CpuOptions read(String options) {
    return CpuOptions.of(mapping(options), Map.of());
  }

  private static SortedMap<String, String> mapping(String options) {
    SortedMap<String, String> mapping = new TreeMap<>();
    Arrays.stream(options.split(" ", -1))
        .map(option -> option.split("=", 2))
        .forEach(option -> mapping.put(option[0], option[1]));
    return mapping;
  }

  @Test
  void thoseThatAreTrueAreOn() {
    assertThat(read("full-pcpus-only=true align-by-socket=1 strict-cpu-reservation=false"))
        .isEqualTo(CpuOptions.of(CpuOption.WHOLE_CORES, CpuOption.SOCKETS));
  }

  @Test
  void theyAreShownAsTheConfigurationHasThem() {
    assertThat(read("full-pcpus-only=T align-by-socket=1 strict-cpu-reservation=0").named())
        .isEqualTo(mapping("full-pcpus-only=true align-by-socket=true"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "full-cpus=true | unknown CPU Manager Policy option: \"full-cpus\"",
        "align-by-socket=si | bad value for option \"align-by-socket\": strconv.ParseBool: parsing \"si\": invalid syntax",
        "full-pcpus-only=true distribute-cpus-across-cores=true | static policy options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time",
        "distribute-cpus-across-numa=true distribute-cpus-across-cores=true | static policy options distribute-cpus-across-numa and distribute-cpus-across-cores can not be used at the same time",
        "prefer-align-cpus-by-uncorecache=true distribute-cpus-across-cores=true | static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-cores can not be used at the same time",
        "prefer-align-cpus-by-uncorecache=true distribute-cpus-across-numa=true | static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used at the same time"
      })
  void whatCannotBeIsRefusedAsByTheKubelet(String options, String text) {
    assertThatThrownBy(() -> read(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(text);
  }

  @ParameterizedTest
  @CsvSource({
    "full-pcpus-only, distribute-cpus-across-numa",
    "full-pcpus-only, prefer-align-cpus-by-uncorecache",
    "align-by-socket, distribute-cpus-across-numa",
    "align-by-socket, distribute-cpus-across-cores",
    "align-by-socket, prefer-align-cpus-by-uncorecache",
    "strict-cpu-reservation, distribute-cpus-across-cores"
  })
  void othersGoTogether(String one, String other) {
    assertThat(read(one + "=true " + other + "=true").on()).hasSize(2);
  }

  @Test
  void anOptionWhoseGateIsOffMayNotEvenBeNamed() {
    assertThatThrownBy(() ->
            CpuOptions.of(
                mapping("align-by-socket=false"), Map.of(CpuOption.SOCKETS, CpuOption.Level.ALPHA)))
        .hasMessage(
            "CPU Manager Policy Alpha-level Options not enabled, but option \"align-by-socket\""
                + " provided");
  }

  @Test
  void socketsAreNoMeasureWhereOneNodeIsDemanded() {
    var options = CpuOptions.of(CpuOption.SOCKETS);
    NumaMachine machine = NumaMachine.regular(2, 4, 1 << 30);
    assertThatThrownBy(() -> options.check(Map.of(), machine, "single-numa-node"))
        .hasMessage(
            "Topolgy manager single-numa-node policy is incompatible with CPUManager"
                + " align-by-socket policy option");
    assertThatCode(() -> options.check(Map.of(), machine, "restricted")).doesNotThrowAnyException();
  }

  @Test
  void socketsAreNoMeasureWhereANodeHasSeveral() {
    var cores =
        List.of(new NumaMachine.Core(0, 0, List.of(0)), new NumaMachine.Core(0, 1, List.of(1)));
    var oneNode =
        new NumaMachine(
            List.of(
                new NumaMachine.Node(0, 1 << 30, Collections.emptySortedMap(), List.of(), cores)));
    assertThatThrownBy(() -> CpuOptions.of(CpuOption.SOCKETS).check(Map.of(), oneNode, "none"))
        .hasMessage(
            "Align by socket is not compatible with hardware where number of sockets are more"
                + " than number of NUMA");
  }
}
