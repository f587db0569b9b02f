package dev.patchbay.bench.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlledKubeletTest {
  @TempDir private Path directory;

  @Test
  void oneThatDoesNotAnswerIsEndedAndSaysWhatItSaidLast() throws IOException {
    try (var kubelet = kubelet("echo busy >&2; exec sleep 600", Duration.ofMillis(500))) {
      assertThatThrownBy(() -> kubelet.remove("u"))
          .isInstanceOf(ControlledKubelet.Hung.class)
          .hasMessageContaining("no answer to \"remove\"")
          .hasMessageContaining("busy");
    }
  }

  @Test
  void oneThatEndsSaysWhatItSaidLast() throws IOException {
    try (var kubelet = kubelet("read line; echo ouch >&2", Duration.ofMinutes(1))) {
      assertThatThrownBy(() -> kubelet.remove("u"))
          .isNotInstanceOf(ControlledKubelet.Hung.class)
          .hasMessageContaining("ended during remove")
          .hasMessageContaining("ouch");
    }
  }

  @Test
  void answersAreThoseOfTheRequest() throws IOException {
    String answers =
        """
        read line; echo '{"event": "health"}'
        echo '{"id": 1, "ok": {"allocatable": {"vendor.example/gpu": 4}}, "us": 7}'; read line
        """;
    try (var kubelet = kubelet(answers, Duration.ofMinutes(1))) {
      assertThat(kubelet.allocatable("vendor.example/gpu")).isEqualTo(4);
    }
  }

  private ControlledKubelet kubelet(String script, Duration patience) throws IOException {
    return new ControlledKubelet(List.of("sh", "-c", script), directory.resolve("log"), patience);
  }
}
