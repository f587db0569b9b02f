package dev.patchbay.bench.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KubeletFigureTest {
  @Test
  void aTableShowsBothTheirRatioAndWhatIsMissing() {
    assertThat(
            KubeletFigure.table(
                List.of(
                    figure("few", 16, times(250), times(1000), ""),
                    figure(
                        "four",
                        16,
                        times(900),
                        Optional.empty(),
                        "upstream: takes minutes for each"))))
        .isEqualTo(
            """
            | work | ours | upstream | ours / upstream | aim: under | first time: ours | upstream |
            | --- | --- | --- | --- | --- | --- | --- |
            | hints for one device of each resource: few | 0.25 ms | 1.00 ms | 0.250 | 1 ms | 2.50 ms | 10.00 ms |
            | hints for one device of each resource: four | 0.90 ms | – | – | 1 ms | 9.00 ms | – |

            Not measured:

            - hints for one device of each resource: four: upstream: takes minutes for each
            """);
  }

  @Test
  void aSeriesShowsItsGrowth() {
    var figures =
        List.of(
            figure("s", 16, times(100), times(100), ""),
            figure("s", 4_096, times(120), times(4_196), ""),
            figure("s", 10_000, times(130), times(10_100), ""));

    assertThat(KubeletFigure.growth(figures))
        .endsWith(
            "| hints for one device of each resource: s | hardly: 0.10 ms throughout | linear, or n"
                + " log n (n^1.00): 0.10 ms and 1.000 ms for each 1,000 devices |\n");
  }

  private static Optional<KubeletTimes> times(long median) {
    return Optional.of(new KubeletTimes(10 * median, median));
  }

  private static KubeletFigure figure(
      String series,
      int devices,
      Optional<KubeletTimes> ours,
      Optional<KubeletTimes> theirs,
      String why) {
    var setting = KubeletSetting.of(2, devices, "none");
    var what = new KubeletCase(KubeletWork.HINTS, setting, series, Optional.of(series), "1 ms");
    return new KubeletFigure(what, ours, theirs, why);
  }
}
