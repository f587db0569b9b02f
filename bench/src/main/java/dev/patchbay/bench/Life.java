package dev.patchbay.bench;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc.DevicePluginBlockingStub;
import dev.patchbay.testkit.ListLog.Listed;
import dev.patchbay.testkit.ScriptedKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/// What one agent goes through after its start, in this order: nothing, Allocates, devices that
/// appear, kubelets that go and come.
final class Life {
  /// Devices seldom come in the same moment.
  private static final Duration BETWEEN_APPEARANCES = Duration.ofMillis(25);

  /// One way to make the kubelet go away.
  private interface End {
    void of(ScriptedKubelet kubelet) throws IOException;
  }

  private final Stage stage;
  private final Effort effort;
  private final Ledger<Measure> ledger;

  private Life(Stage stage, Effort effort, Ledger<Measure> ledger) {
    this.stage = stage;
    this.effort = effort;
    this.ledger = ledger;
  }

  /// Starts an agent, measures it, ends it.
  static void measure(Candidate candidate, Effort effort, Ledger<Measure> ledger)
      throws IOException, InterruptedException {
    try (Stage stage = Stage.open(candidate, Scenario.eightResources())) {
      stage.awaitAllListed(0);
      new Life(stage, effort, ledger).run();
    }
  }

  private void run() throws IOException, InterruptedException {
    idle();
    allocate();
    memory(Measure.RESIDENT_USED, Measure.ANONYMOUS_USED);
    ledger.add(Measure.PEAK, stage.agent().facts().peakBytes());
    appear();
    restart(Measure.RESTART, ScriptedKubelet::stop);
    restart(Measure.KILL, ScriptedKubelet::kill);
    Thread.sleep(effort.down());
    ledger.add(Measure.RESIDENT_AT_END, stage.agent().facts().residentBytes());
  }

  private void idle() throws IOException, InterruptedException {
    Thread.sleep(effort.settle());
    memory(Measure.RESIDENT_IDLE, Measure.ANONYMOUS_IDLE);
    Duration before = stage.agent().facts().cpu();
    Thread.sleep(effort.idle());
    ledger.add(Measure.IDLE_CPU, stage.agent().facts().cpu().minus(before));
  }

  private void memory(Measure resident, Measure anonymous) throws IOException {
    ProcessFacts facts = stage.agent().facts();
    ledger.add(resident, facts.residentBytes());
    ledger.add(anonymous, facts.anonymousBytes());
  }

  private void allocate() throws IOException, InterruptedException {
    Listed list = stage.await(Scenario.GROWING, _ -> true);
    AllocateRequest request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder()
                    .addDevicesIds(list.devices().getFirst().getID()))
            .build();
    DevicePluginBlockingStub plugin = stage.kubelet().plugin(Scenario.GROWING);
    for (int i = -effort.warmUpCalls(); i < effort.calls(); i++) {
      long before = System.nanoTime();
      int answers = plugin.allocate(request).getContainerResponsesCount();
      long after = System.nanoTime();
      if (answers != 1)
        throw new IOException("Allocate answered for " + answers + " containers of 1");
      if (i >= 0) ledger.add(Measure.ALLOCATE, after - before);
    }
  }

  private void appear() throws IOException, InterruptedException {
    int known = stage.await(Scenario.GROWING, _ -> true).devices().size();
    for (int i = 0; i < effort.appearances(); i++) {
      Thread.sleep(BETWEEN_APPEARANCES);
      int expected = ++known;
      long before = System.nanoTime();
      Files.createFile(stage.host(Scenario.GROWING_DIRECTORY).resolve("new" + i));
      Listed list = stage.await(Scenario.GROWING, it -> it.devices().size() == expected);
      ledger.add(Measure.APPEARANCE, list.at() - before);
    }
  }

  private void restart(Measure measure, End end) throws IOException, InterruptedException {
    for (int i = 0; i < effort.restarts(); i++) {
      int stream = stage.kubelet().lists().streams();
      end.of(stage.kubelet());
      Thread.sleep(effort.down());
      long before = System.nanoTime();
      stage.kubelet().start();
      ledger.add(measure, stage.awaitAllListed(stream) - before);
    }
  }
}
