package dev.patchbay.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.http.Page.Answer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HealthPagesTest {
  private Optional<String> problem = Optional.empty();
  private final Map<String, Page> pages =
      new HealthPages().with("device-plugin", () -> problem).pages();

  @Test
  void aHealthyProcessSaysSoInOneWord() {
    assertThat(ask("/healthz", "")).isEqualTo(Answer.text(200, "ok"));
    assertThat(ask("/healthz", "verbosity=9")).isEqualTo(Answer.text(200, "ok"));
  }

  @Test
  void whoWantsToKnowMoreHearsOfEachCheck() {
    assertThat(ask("/healthz", "verbose"))
        .isEqualTo(Answer.text(200, "[+]ping ok\n[+]device-plugin ok\nhealthz check passed\n"));
  }

  @Test
  void aCheckThatFailsIsNamed() {
    problem = Optional.of("no plugin\ncan register");

    assertThat(ask("/healthz", ""))
        .isEqualTo(
            Answer.text(
                500,
                "[+]ping ok\n[-]device-plugin failed: no plugin can register\nhealthz check failed\n"));
  }

  @Test
  void aCheckCanBeAskedForAlone() {
    problem = Optional.of("no plugin can register");

    assertThat(ask("/healthz/ping", "")).isEqualTo(Answer.text(200, "ok"));
    assertThat(ask("/healthz/device-plugin", "").status()).isEqualTo(500);
  }

  private Answer ask(String path, String query) {
    return pages.getOrDefault(path, _ -> Answer.text(404, "")).answer(Query.parse(query));
  }
}
