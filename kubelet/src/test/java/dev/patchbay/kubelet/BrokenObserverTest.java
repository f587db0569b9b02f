package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.wire.ListedDevices;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Who looks on at what plugins send makes a mistake.
class BrokenObserverTest {
  private static final PluginObserver BROKEN =
      new PluginObserver() {
        @Override
        public void listed(PluginConnection connection, ListedDevices list) {
          if (list.devices().size() == 2) throw new IllegalStateException("two are too many");
          if (list.devices().size() == 4) throw new StackOverflowError("of one list");
        }
      };

  @AutoClose
  private final KubeletSide kubelet = KubeletSide.startedWith(UnaryOperator.identity(), BROKEN);

  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay");

  /// Rather than that lists are read no more, and nobody knows.
  @Test
  void aListThatCannotBeTakenEndsTheStream() {
    ScriptedPlugin plugin = kubelet.registered(GPU, "a");

    plugin.list("a", "b");

    kubelet.awaitAllocatable(GPU, 0);
    ScriptedPlugin back = kubelet.plugin("back.sock").list("a", "b", "c");
    assertThat(back.register(GPU)).isEmpty();
    kubelet.awaitAllocatable(GPU, 3);
    back.list("a", "b", "c", "d");
    kubelet.awaitAllocatable(GPU, 0);
    await()
        .untilAsserted(() ->
            assertThat(log.lines())
                .filteredOn(line -> line.contains("plugin gone"))
                .hasSize(2)
                .allMatch(line -> line.endsWith("desc = the answer was not taken")));
  }
}
