package dev.patchbay.kubelet;

import dev.patchbay.kubelet.DeviceManager.ContainerKey;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcher;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig;
import dev.patchbay.kubelet.pluginwatcher.WatchedPlugins;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/// The kubelet side of one node: the pods that it knows, the device manager, and what decides about
/// a pod beside it. It starts no container and talks to no API server; who does, asks it.
///
/// A pod's way: [#know] (or [#admit], which includes it), [#admit], [#runOptions] before each start
/// of a container, [#ended], [#remove]. What ended pods held is taken back by [#collectGarbage],
/// which each admission does as well.
///
/// Thread-safe; pods are admitted side by side, one pod by one thread at a time. Nothing waits for
/// a plugin but the admission of the pod, or the start of the container, that needs it.
public final class Kubelet implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final KubeletSettings settings;
  private final KubeletEvents events;
  private final KnownPods pods = new KnownPods();
  private final ReentrantLock fitting = new ReentrantLock();
  private final TopologyPolicy topology;
  private final DeviceManager devices;
  private final InstantSource clock;
  private volatile Optional<PluginWatcher> watcher = Optional.empty();

  /// Makes a kubelet; nothing is touched before [#start].
  ///
  /// @param clock what grace periods and pauses are measured with: a [SteadyClock] where it is not
  ///   a test's own
  /// @throws IllegalArgumentException when the topology manager or the CPU policy cannot work with
  ///   these settings, in upstream's words
  public Kubelet(
      KubeletSettings settings,
      InstantSource clock,
      KubeletEvents events,
      PluginObserver observer) {
    this.settings = settings;
    this.events = events;
    topology =
        TopologyPolicy.of(
            settings.minor().topology(settings.topology(), settings.featureGates()),
            settings.machine());
    settings
        .host()
        .cpus()
        .options()
        .check(
            settings.minor().closedCpuOptions(settings.featureGates()),
            settings.machine(),
            settings.topology().policy());
    this.clock = clock;
    devices =
        new DeviceManager(
            settings.devices(),
            clock,
            topology,
            HostState.start(settings.host(), settings.machine()),
            new HostStateFiles(settings.host().stateDirectory()),
            settings.pluginApis(),
            settings.quirks(),
            settings.minor().withdrawal(),
            observer,
            events);
  }

  /// Makes a kubelet that tells nobody what it does.
  public Kubelet(KubeletSettings settings, InstantSource clock) {
    this(settings, clock, KubeletEvents.NONE, PluginObserver.NONE);
  }

  /// Reads the checkpoint, removes stale sockets, listens on `kubelet.sock`. Pods' sources are not
  /// ready then: see [#sourcesReady].
  ///
  /// @param containers what the runtime reports: containers that run keep running, whatever the
  ///   plugins say
  /// @throws IOException when a directory cannot be used; names it
  public void start(Collection<RuntimeContainer> containers) throws IOException {
    devices.start(running(containers, settings.minor()));
  }

  static Set<ContainerKey> running(Collection<RuntimeContainer> containers, KubernetesMinor minor) {
    Set<ContainerKey> seen = new HashSet<>();
    Set<ContainerKey> running = new HashSet<>();
    for (RuntimeContainer each : containers) {
      var key = new ContainerKey(each.podUid(), each.container());
      boolean counts = seen.add(key) || minor.countsAnyContainerAsRunning();
      if (counts && each.running()) running.add(key);
    }
    return running;
  }

  /// The settings that it was made with.
  public KubeletSettings settings() {
    return settings;
  }

  /// Whether all pods that should run here are known. Until then a running container is not
  /// re-allocated, and nothing is taken back from pods that are not known.
  public void sourcesReady(boolean ready) {
    devices.sourcesReady(ready);
  }

  /// A pod exists that is not to be decided about now, as those that ran before a restart.
  public void know(PodSpec pod) {
    pods.know(seen(pod));
  }

  /// Decides about a pod and reserves all that its containers need. Asking again for an admitted
  /// pod keeps what it has. A refused pod stays known, as failed.
  public Admission admit(PodSpec pod) {
    return admit(seen(pod), this::misfit);
  }

  /// The same without a look at whether the node has room for it beside the others.
  public Admission admitWithoutPredicates(PodSpec pod) {
    return admit(seen(pod), _ -> Optional.empty());
  }

  private PodSpec seen(PodSpec pod) {
    return settings.minor().seen(pod, settings.featureGates());
  }

  private Admission admit(PodSpec pod, Function<PodSpec, Optional<Admission.Refused>> predicates) {
    long began = System.nanoTime();
    pods.deciding(pod);
    devices.retain(pods);
    Admission admission = unknownResource(pod).orElseGet(() -> devices.admit(pod));
    if (admission instanceof Admission.Admitted) admission = fitted(pod, predicates);
    else pods.decided(pod.uid(), admission);
    // It may have gone while a plugin was asked, and got something after that.
    if (pods.find(pod.uid()).isEmpty()) devices.release(pod.uid());
    catchUpCheckpoint();
    if (admission instanceof Admission.Refused refused) {
      LOG.log(
          System.Logger.Level.WARNING,
          "pod refused pod={0}/{1} reason={2} message={3}",
          pod.namespace(),
          pod.name(),
          refused.reason(),
          refused.message());
      events.podRefused(refused);
    }
    events.podDecided(pod, admission, Duration.ofNanos(System.nanoTime() - began));
    return admission;
  }

  /// The last step: of two pods for which there is room for one, one is admitted.
  private Admission fitted(PodSpec pod, Function<PodSpec, Optional<Admission.Refused>> predicates) {
    Admission admission;
    fitting.lock();
    try {
      Optional<Admission.Refused> misfit = predicates.apply(pod);
      admission = misfit.isPresent() ? misfit.get() : new Admission.Admitted();
      pods.decided(pod.uid(), admission);
    } finally {
      fitting.unlock();
    }
    if (admission instanceof Admission.Refused) devices.release(pod.uid());
    return admission;
  }

  private Optional<Admission.Refused> misfit(PodSpec pod) {
    DeviceState state = devices.state();
    return new NodeFit(
            settings.nodeAllocatable(),
            state.inventory().allocatable(),
            state,
            settings.unknownResources())
        .refusal(pod, pods.beside(pod.uid()));
  }

  private Optional<Admission> unknownResource(PodSpec pod) {
    return switch (settings.unknownResources()) {
      case IGNORE -> Optional.empty();
      case REFUSE -> devices.refusedForUnknownResource(pod);
    };
  }

  /// What the container gets; calls PreStartContainer where the plugin wants it. To be called
  /// before each start of the container. What was allocated for it is used again, whatever became
  /// of the devices and their plugins; only what is missing is allocated, and nothing for a pod
  /// that has ended or is not known.
  ///
  /// @return empty when the container has no devices
  /// @throws IOException when a plugin refuses or cannot be reached; the start has to be tried
  ///   again later
  public Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException {
    PodSpec seen = seen(pod);
    devices.prepareStart(seen, container);
    if (pods.find(seen.uid()).filter(KnownPod::isActive).isPresent())
      devices.allocateMissing(seen, container);
    return devices.started(seen, container);
  }

  /// A pod ended, and is still known: what it holds is free from the next collection on.
  public void ended(String podUid, PodPhase phase) {
    pods.enter(podUid, phase);
  }

  /// A pod is gone from the API: what it holds is free from the next collection on.
  public void remove(String podUid) {
    pods.remove(podUid);
  }

  /// A pod is gone, and what it holds is free now.
  public void release(String podUid) {
    pods.remove(podUid);
    devices.release(podUid);
  }

  /// Takes back what pods hold that have ended or are not known; nothing before [#sourcesReady].
  public void collectGarbage() {
    devices.retain(pods);
    catchUpCheckpoint();
  }

  /// Where what a container asks for could lie, of devices, CPUs and memory: for each resource
  /// nothing when it does not matter, else a list.
  public SortedMap<String, Optional<List<TopologyHint>>> hints(
      PodSpec pod, ContainerSpec container) {
    return hints(source -> source.hints(seen(pod), container));
  }

  /// The same for all containers of a pod together.
  public SortedMap<String, Optional<List<TopologyHint>>> podHints(PodSpec pod) {
    return hints(source -> source.podHints(seen(pod)));
  }

  private SortedMap<String, Optional<List<TopologyHint>>> hints(
      Function<HintSource, SortedMap<String, Optional<List<TopologyHint>>>> of) {
    collectGarbage();
    SortedMap<String, Optional<List<TopologyHint>>> all = new TreeMap<>(of.apply(devices.places()));
    for (HintSource source : host().hintSources()) all.putAll(of.apply(source));
    return all;
  }

  /// Where the topology manager wanted a container's resources to lie; without a mask and not
  /// preferred when it had no opinion.
  public TopologyHint affinity(String podUid, String container) {
    return devices.affinity(new ContainerKey(podUid, container));
  }

  /// How the topology manager works.
  public TopologyPolicy topology() {
    return topology;
  }

  private void catchUpCheckpoint() {
    if (!settings.has(Quirk.CHECKPOINT_KEEPS_ENDED_PODS)) devices.catchUpCheckpoint();
  }

  /// All pods that are known, in the order in which they became known.
  public List<KnownPod> pods() {
    return pods.all();
  }

  /// A pod that is known.
  public Optional<KnownPod> pod(String uid) {
    return pods.find(uid);
  }

  /// Pods that keep what was allocated to them: neither ended nor gone.
  public List<KnownPod> activePods() {
    return pods.all().stream().filter(KnownPod::isActive).toList();
  }

  /// CPUs and memory, and who has them, now.
  public HostState host() {
    return devices.host();
  }

  /// Devices and who holds them, now.
  public DeviceState devices() {
    return devices.state();
  }

  /// Capacity and allocatable as the node shows them, with zeros for resources that are gone.
  public NodeResources nodeResources() {
    return devices.nodeResources();
  }

  /// What the device manager reports for the node's status. A resource that was removed is in one
  /// report alone.
  public DeviceCapacity deviceCapacity() {
    return devices.capacity();
  }

  /// Waits until the node's resources are as the condition wants them.
  ///
  /// @return whether they were in that time
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    return devices.awaitResources(condition, atMost);
  }

  /// Which container holds which devices: pod uid, container name, resource, ids.
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    return devices.held();
  }

  /// Makes the stop of a resource's plugin look so much older, so that a test need not wait for the
  /// end of the grace period.
  ///
  /// @return whether that plugin had stopped
  public boolean age(ResourceName resource, Duration by) {
    return devices.age(resource, by);
  }

  /// What keeps plugins from registering, in upstream's words; empty when all is well, before
  /// [#start] and after [#close].
  public Optional<String> problem() {
    return devices.problem();
  }

  /// Registers the device plugins whose sockets lie in this directory too, until [#close], as the
  /// version of Kubernetes does that is followed. Not to be called twice.
  ///
  /// @param registry `plugins_registry`, absolute; made when it is missing
  /// @throws IOException when it cannot be made; names it
  public void watchPlugins(Path registry) throws IOException {
    watchPlugins(settings.minor().watcher(PluginWatcherConfig.of(registry)));
  }

  /// The same with settings of the watcher's own.
  public void watchPlugins(PluginWatcherConfig config) throws IOException {
    var started =
        new PluginWatcher(config, Map.of("DevicePlugin", devices.registryPlugins()), clock);
    watcher = Optional.of(started);
    started.start();
  }

  /// The sockets that [#watchPlugins] knows; none without it.
  public WatchedPlugins watchedPlugins() {
    return watcher
        .map(PluginWatcher::plugins)
        .orElseGet(
            () -> new WatchedPlugins(Collections.emptySortedSet(), Collections.emptySortedSet()));
  }

  /// Ends the connections to the plugins of a resource; nothing tells them why. Their devices count
  /// as unhealthy until they register again.
  ///
  /// @return whether there were any
  public boolean disconnect(ResourceName resource) {
    return devices.disconnect(resource);
  }

  /// Stops listening and drops all plugins; what was allocated stays in the checkpoint. May be
  /// called twice.
  @Override
  public void close() {
    watcher.ifPresent(PluginWatcher::close);
    devices.close();
  }
}
