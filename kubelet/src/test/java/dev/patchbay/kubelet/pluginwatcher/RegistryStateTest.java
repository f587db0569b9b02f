package dev.patchbay.kubelet.pluginwatcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.pluginwatcher.RegistryState.Registered;
import dev.patchbay.kubelet.pluginwatcher.RegistryState.Step;
import dev.patchbay.watch.FileIdentity;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class RegistryStateTest {
  private static final Path A = Path.of("/r/a.sock");
  private static final Path B = Path.of("/r/b.sock");
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(122);
  private static final PluginHandler NOBODY =
      new PluginHandler() {
        @Override
        public void validate(String name, Path endpoint, List<String> versions) {}

        @Override
        public void register(String name, Path endpoint, List<String> versions) {}

        @Override
        public void deregister(String name, Path endpoint) {}
      };

  @Test
  void registersWhatLiesThere() {
    RegistryState state = RegistryState.EMPTY.seen(tree(Map.of(A, 1, B, 2)));
    assertThat(state.due(NOON)).containsExactly(new Step.Register(A, 1), new Step.Register(B, 2));
    assertThat(state.isSettled()).isFalse();
  }

  @Test
  void startsNoSecondStepAtASocketWhileOneRuns() {
    RegistryState state = RegistryState.EMPTY.seen(tree(Map.of(A, 1, B, 2)));
    state = state.started(List.of(new Step.Register(A, 1)));
    assertThat(state.due(NOON)).containsExactly(new Step.Register(B, 2));
  }

  @Test
  void leavesAloneWhatIsRegistered() {
    RegistryState state = registered(Map.of(A, 1));
    assertThat(state.due(NOON)).isEmpty();
    assertThat(state.isSettled()).isTrue();
    assertThat(state.seen(tree(Map.of(A, 1))).isSettled()).as("seen again").isTrue();
  }

  @Test
  void takesOffWhatIsGone() {
    RegistryState state = registered(Map.of(A, 1)).seen(tree(Map.of()));
    assertThat(state.due(NOON)).containsExactly(new Step.Deregister(A, plugin(1)));
    state = state.without(A).succeeded(A);
    assertThat(state.due(NOON)).isEmpty();
    assertThat(state.isSettled()).isTrue();
  }

  @Test
  void aSocketMadeAnewIsTakenOffInOnePassAndRegisteredInTheNext() {
    RegistryState state = registered(Map.of(A, 1)).seen(tree(Map.of(A, 7)));
    assertThat(state.due(NOON)).containsExactly(new Step.Deregister(A, plugin(1)));
    state = state.without(A).succeeded(A);
    assertThat(state.due(NOON)).containsExactly(new Step.Register(A, 2));
  }

  @Test
  void aRemovalWhileItIsBeingRegisteredIsSeenAfterwards() {
    RegistryState state = RegistryState.EMPTY.seen(tree(Map.of(A, 1)));
    state = state.started(state.due(NOON)).with(A, plugin(1)).seen(tree(Map.of()));
    assertThat(state.due(NOON)).as("while it runs").isEmpty();
    assertThat(state.succeeded(A).due(NOON)).containsExactly(new Step.Deregister(A, plugin(1)));
  }

  @Test
  void aSocketRenamedWithinTheRegistryStaysUnderItsOldNameToo() {
    RegistryState state = registered(Map.of(A, 1)).seen(tree(Map.of(B, 1)));
    assertThat(state.due(NOON)).containsExactly(new Step.Register(B, 2));
    assertThat(state.seen(tree(Map.of())).due(NOON))
        .as("when it is gone under its new name")
        .containsExactly(new Step.Deregister(A, plugin(1)));
  }

  @Test
  void waitsTwiceAsLongAfterEachFailure() {
    RegistryState state = RegistryState.EMPTY.seen(tree(Map.of(A, 1)));
    Instant now = NOON;
    for (int millis :
        List.of(500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000)) {
      state = state.started(state.due(now)).failed(A, now, FIRST, LONGEST);
      assertThat(state.due(now.plusMillis(millis))).as("after %s ms", millis).isEmpty();
      now = now.plusMillis(millis).plusNanos(1);
      assertThat(state.due(now)).containsExactly(new Step.Register(A, 1));
    }
    assertThat(state.isSettled()).isFalse();
  }

  @Test
  void aPauseIsForgottenWithSuccessAndWithItsSocket() {
    RegistryState failing =
        RegistryState.EMPTY.seen(tree(Map.of(A, 1))).failed(A, NOON, FIRST, LONGEST);
    assertThat(failing.succeeded(A).pauses()).isEmpty();
    assertThat(failing.tidied().pauses()).containsOnlyKeys(A);
    assertThat(failing.seen(tree(Map.of())).tidied().pauses()).isEmpty();
  }

  private static RegistryState registered(Map<Path, Integer> inodes) {
    RegistryState state = RegistryState.EMPTY.seen(tree(inodes));
    for (Step step : state.due(NOON))
      state = state.with(step.socket(), plugin(1)).succeeded(step.socket());
    return state;
  }

  private static Registered plugin(long number) {
    return new Registered(number, NOBODY, "vendor.example/nic", A);
  }

  private static RegistryTree tree(Map<Path, Integer> inodes) {
    var sockets = new TreeMap<Path, FileIdentity>();
    inodes.forEach(
        (path, inode) -> sockets.put(path, new FileIdentity(1, inode, FileTime.from(NOON))));
    return new RegistryTree(sockets, new TreeMap<>());
  }
}
