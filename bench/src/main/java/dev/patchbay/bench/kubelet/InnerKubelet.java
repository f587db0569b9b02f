package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceManagerConfig;
import dev.patchbay.kubelet.HostSettings;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.UnknownResources;
import dev.patchbay.kubelet.cpu.CpuSet;
import dev.patchbay.kubelet.cpu.CpuSettings;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.KubeletHoldings;
import dev.patchbay.kubelet.podresources.PodResourcesServer;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Our kubelet side in this process, without the control protocol.
final class InnerKubelet implements MeasuredKubelet {
  private static final long NODE_BYTES = 8L << 30;

  private final List<AutoCloseable> running = new ArrayList<>();
  private final List<PodSpec> known = new ArrayList<>();
  private Optional<Kubelet> kubelet = Optional.empty();
  private Optional<KubeletSettings> settings = Optional.empty();
  private Optional<KubeletFiles> files = Optional.empty();
  private Optional<PodSpec> announced = Optional.empty();

  @Override
  public void start(KubeletSetting setting, KubeletFiles where) throws IOException {
    KubeletSettings made =
        KubeletSettings.of(DeviceManagerConfig.of(where.plugins()))
            .withUnknownResources(UnknownResources.IGNORE)
            .withTopology(
                TopologySettings.of(setting.policy(), "container"),
                NumaMachine.regular(setting.nodes(), KubeletSetting.CPUS_PER_NODE, NODE_BYTES));
    settings =
        Optional.of(
            setting.staticCpus()
                ? made.withHost(
                    new HostSettings(
                        CpuSettings.reserving(CpuSet.of(0)),
                        MemorySettings.NONE,
                        Optional.of(where.state())))
                : made);
    files = Optional.of(where);
    begin();
  }

  private void begin() throws IOException {
    var made = new Kubelet(settings.orElseThrow(), InstantSource.system());
    running.add(made);
    kubelet = Optional.of(made);
    known.forEach(made::know);
    made.start(List.of());
    made.sourcesReady(true);
    var server =
        PodResourcesServer.at(
            files.orElseThrow().podResources(),
            new KubeletHoldings(made),
            PodResourcesSettings.of(made.settings()),
            new KubeletMetrics());
    running.add(server);
    server.start();
  }

  private Kubelet kubelet() {
    return kubelet.orElseThrow();
  }

  @Override
  public void restart() throws IOException {
    close();
    begin();
  }

  @Override
  public void announce(ObjectNode pod) {
    announced = Optional.of(PodManifests.readTree("pod", pod).pods().getFirst());
  }

  @Override
  public long admit() throws IOException {
    PodSpec pod = announced.orElseThrow();
    known.add(pod);
    long begin = System.nanoTime();
    Admission admission = kubelet().admitWithoutPredicates(pod);
    long micros = (System.nanoTime() - begin) / 1_000;
    if (admission instanceof Admission.Refused refused)
      throw new IOException("a pod was refused: " + refused);
    return micros;
  }

  @Override
  public long hints() {
    PodSpec pod = announced.orElseThrow();
    long begin = System.nanoTime();
    var _ = kubelet().hints(pod, pod.containers().getFirst());
    return (System.nanoTime() - begin) / 1_000;
  }

  @Override
  public void remove(String uid) {
    known.removeIf(pod -> pod.uid().equals(uid));
    kubelet().remove(uid);
  }

  @Override
  public long allocatable(String resource) {
    return kubelet().deviceCapacity().allocatable().getOrDefault(ResourceName.of(resource), -1L);
  }

  @Override
  public long residentKib() {
    throw new UnsupportedOperationException("this process holds the plugins as well");
  }

  @Override
  public void close() throws IOException {
    for (AutoCloseable each : running.reversed())
      try {
        each.close();
      } catch (Exception e) {
        throw new IOException("cannot stop " + each, e);
      }
    running.clear();
  }
}
