package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// The end of a device manager.
class StopTest {
  @AutoClose private final LogCapture ours = LogCapture.of("dev.patchbay");
  @AutoClose private final LogCapture transport = LogCapture.of("io.grpc");

  @Test
  void aStopWhileListsArriveIsNoReasonToComplain() throws Exception {
    try (KubeletSide kubelet = KubeletSide.started()) {
      for (int round = 0; round < 20; round++) {
        ScriptedPlugin plugin = kubelet.plugin("gpu.sock");
        assertThat(plugin.register(GPU)).isEmpty();
        for (int i = 0; i < 20; i++) plugin.list("a-" + i);

        kubelet.restart();
      }
    }

    assertThat(ours.lines()).isEmpty();
    // The plugins may warn of lists that found no reader any more.
    assertThat(transport.lines()).noneMatch(line -> line.startsWith("SEVERE"));
  }

  @Test
  void aStoppedOneLeavesNoSocketAndMayBeStoppedAgain() throws Exception {
    try (KubeletSide kubelet = KubeletSide.started()) {
      kubelet.registered(GPU, "a");

      kubelet.manager().close();
      kubelet.manager().close();

      assertThat(Files.exists(kubelet.directory().resolve("kubelet.sock"))).isFalse();
      assertThat(kubelet.refusal(Pods.pod("p", 1))).contains("the device manager is stopped");
    }
  }
}
