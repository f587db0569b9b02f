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
                    new KubeletFigure(
                        "admit",
                        Optional.empty(),
                        Optional.of(250L),
                        Optional.of(1000L),
                        "µs",
                        "1 ms"),
                    new KubeletFigure(
                        "four",
                        Optional.of("upstream: takes minutes for each"),
                        Optional.of(900L),
                        Optional.empty(),
                        "µs",
                        ""),
                    new KubeletFigure(
                        "memory",
                        Optional.empty(),
                        Optional.of(2048L),
                        Optional.of(1024L),
                        "KiB",
                        ""))))
        .isEqualTo(
            """
            | work | ours | upstream | ours / upstream | aim: under |
            | --- | --- | --- | --- | --- |
            | admit | 0.25 ms | 1.00 ms | 0.250 | 1 ms |
            | four | 0.90 ms | – | – |  |
            | memory | 2.0 MiB | 1.0 MiB | 2.000 |  |

            Not measured:

            - four: upstream: takes minutes for each
            """);
  }
}
