package dev.patchbay.interop.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.interop.differential.Outcome.Differs;
import dev.patchbay.interop.differential.Outcome.Equal;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is left of a sequence that shows a difference. No kubelet is played: one stands in that is
/// broken on purpose.
@Tag("differential")
final class ShrinkerTest {
  private static final long SEEDS = 50;

  /// Differs at the first restart after a pod was admitted.
  private static Outcome forgetsPods(Scenario scenario) {
    boolean admitted = false;
    for (int at = 0; at < scenario.steps().size(); at++) {
      Step step = scenario.steps().get(at);
      if (admitted && step instanceof Step.Restart)
        return new Differs(at, "podStatus p", "none", "Running");
      admitted |= step instanceof Step.Admit;
    }
    return new Equal(1);
  }

  @Test
  void twoStepsAreLeftWhereTwoAreToBlame() throws IOException {
    int found = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Scenario scenario = Generator.scenario(seed, 30);
      if (!(forgetsPods(scenario) instanceof Differs differs)) continue;
      found++;

      Shrinker.Shrunk shrunk = Shrinker.shrink(scenario, differs, 1000, ShrinkerTest::forgetsPods);

      assertThat(shrunk.scenario().steps())
          .as("seed %d", seed)
          .satisfiesExactly(
              first -> assertThat(first).isInstanceOf(Step.Admit.class),
              second ->
                  assertThat(second)
                      .isEqualTo(new Step.Restart(false, false, Step.Reported.ENDED, false)));
      assertThat(shrunk.difference().step()).isEqualTo(1);
    }
    assertThat(found).as("sequences with that difference").isPositive();
  }

  @Test
  void aScriptIsReadAsItWasWritten() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      Scenario scenario = Generator.scenario(seed, 30);

      assertThat(Scenario.of(scenario.script())).as("seed %d", seed).isEqualTo(scenario);
    }
  }

  @Test
  void aSeedMakesTheSameSequenceAgain() {
    assertThat(List.of(Generator.scenario(7, 30), Generator.scenario(8, 30)))
        .doesNotHaveDuplicates()
        .contains(Generator.scenario(7, 30));
  }
}
