package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.container;
import static dev.patchbay.kubelet.Pods.pod;
import static dev.patchbay.kubelet.ScriptedPlugin.hang;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.pods.NativeResources;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A kubelet is stopped while it waits for a plugin, and hears of it only when the next kubelet is
/// at work in the same directories: whatever it does then, the files are the next one's.
@Timeout(60)
class LateAnswerTest {
  private static final NumaMachine MACHINE = NumaMachine.regular(2, 4, 1L << 30);

  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private final CountDownLatch heard = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  /// Stops the first thread that hears from a plugin.
  private final class Stopping implements KubeletEvents {
    private final AtomicBoolean isFirst = new AtomicBoolean(true);

    @Override
    public void allocateCalled(ResourceName resource, Duration took) {
      if (!isFirst.compareAndSet(true, false)) return;
      heard.countDown();
      try {
        assertThat(goOn.await(30, SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void aStoppedKubeletWritesNothingOverTheNextOnesFiles() throws Exception {
    Kubelet old = kubelet.restartWith(this::withHost, new Stopping());
    ScriptedPlugin plugin = kubelet.registered(GPU, "a", "b");
    plugin.allocate = hang();
    Future<Admission> late = threads.submit(() -> old.admit(pinned("late")));
    Awaitility.await().until(() -> plugin.calls().contains("Allocate [a]"));
    Future<?> stop = threads.submit(old::close);
    assertThat(heard.await(30, SECONDS)).isTrue();
    stop.get(30, SECONDS);

    kubelet.restartWith(this::withHost);
    kubelet.registered(GPU, "a", "b");
    kubelet.admit(pinned("next"));
    List<String> files = files();
    goOn.countDown();

    assertThat(late.get(30, SECONDS)).isInstanceOf(Admission.Refused.class);
    assertThat(files()).isEqualTo(files);
    assertThat(kubelet.restarted(this::withHost).held()).containsOnlyKeys("next");
  }

  private KubeletSettings withHost(KubeletSettings usual) {
    return usual
        .withTopology(TopologySettings.DEFAULTS, MACHINE)
        .withHost(
            new HostSettings(
                CpuSettings.reserving(CpuSet.of(0)),
                MemorySettings.reservingOn(0),
                Optional.of(state())));
  }

  private Path state() {
    return kubelet.directory().resolveSibling("state");
  }

  private List<String> files() throws IOException {
    return List.of(
        Files.readString(kubelet.directory().resolve("kubelet_internal_checkpoint")),
        Files.readString(state().resolve("cpu_manager_state")),
        Files.readString(state().resolve("memory_manager_state")));
  }

  private static PodSpec pinned(String uid) {
    var asked = new TreeMap<>(Map.of("cpu", 2000L, "memory", 100L << 20));
    return pod(
        uid, List.of(), container("main", 1).withResources(new NativeResources(asked, asked)));
  }
}
