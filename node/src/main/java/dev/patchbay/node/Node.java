package dev.patchbay.node;

import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.RuntimeContainer;
import dev.patchbay.kubelet.SteadyClock;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.status.AllocatedResources.ResourceHealth;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.node.PodSource.Asked;
import dev.patchbay.node.PodSource.Wanted;
import dev.patchbay.node.PodSource.Wish;
import dev.patchbay.oci.ContainerStatus;
import dev.patchbay.oci.OciRuntime;
import dev.patchbay.oci.RuntimeAvailability;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One node: a device manager and the pods of a source. Thread-safe.
public final class Node implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.node");

  /// As often as a kubelet looks at its resources without a cause.
  private static final Duration STATUS_PERIOD = Duration.ofSeconds(10);

  private final Surroundings around;
  private final String runtime;
  private final Instant startedAt;
  private final Map<String, PodLife> pods = new ConcurrentHashMap<>();
  private final Collection<PodLife> leaving = new ConcurrentLinkedQueue<>();
  private final NodeThreads threads = new NodeThreads("node", LOG);
  private volatile List<String> problems = List.of();
  private @Nullable FileChannel lock;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Node(Surroundings around, String runtime) {
    this.around = around;
    this.runtime = runtime;
    this.startedAt = around.clock().instant();
  }

  /// Starts a node with static pods: reads what an earlier process of it left, listens for plugins,
  /// runs the pods.
  ///
  /// @param runtime name or absolute path of the OCI runtime; empty for the first that is found.
  ///   Without a usable one pods are admitted and shown, and nothing runs
  /// @throws IOException when another process runs a node in this directory, or the directory
  ///   cannot be used
  public static Node start(NodeConfig config, Optional<String> runtime)
      throws IOException, InterruptedException {
    return start(config, runtime, new ManifestFolder(config.manifests()));
  }

  /// The same with pods from elsewhere than the directory of manifests.
  ///
  /// @param source closed with the node, also when it cannot start
  public static Node start(NodeConfig config, Optional<String> runtime, PodSource source)
      throws IOException, InterruptedException {
    RuntimeAvailability availability = OciRuntime.find(runtime);
    InstantSource clock = InstantSource.system();
    Changes changes = new Changes();
    Devices devices =
        PluginDevices.of(
            config.kubelet(), config.directory(), SteadyClock.started(), new HealthNews(changes));
    Pause pause = Thread::sleep;
    return switch (availability) {
      case RuntimeAvailability.Available(Path program, String version) ->
          start(
              new Surroundings(
                  config,
                  source,
                  devices,
                  RuntimeContainers.of(program, config.directory()),
                  clock,
                  pause,
                  changes),
              program + ", " + version);
      case RuntimeAvailability.Missing(String why) -> {
        LOG.log(System.Logger.Level.WARNING, "containers are not run why=\"{0}\"", why);
        yield start(
            new Surroundings(config, source, devices, new NoContainers(why), clock, pause, changes),
            "none: " + why);
      }
    };
  }

  static Node start(Surroundings around, String runtime) throws IOException, InterruptedException {
    Files.createDirectories(around.config().pods());
    Node node = new Node(around, runtime);
    try {
      node.lock();
      node.begin();
      return node;
    } catch (IOException | RuntimeException | InterruptedException e) {
      node.close();
      throw e;
    }
  }

  /// What the node and its pods are doing now.
  public NodeState state() {
    NodeResources resources = around.devices().nodeResources();
    var held = around.devices().held();
    List<PodState> states =
        pods.values().stream()
            .map(PodLife::state)
            .sorted(Comparator.comparing(PodState::namespace).thenComparing(PodState::name))
            .map(pod -> withDevices(pod, held.get(pod.uid())))
            .toList();
    return new NodeState(
        ProcessHandle.current().pid(),
        startedAt.toString(),
        runtime,
        new NodeState.Resources(named(resources.capacity()), named(resources.allocatable())),
        states,
        problems);
  }

  /// What was counted, and the settings.
  public Instruments instruments() {
    return around.devices().instruments();
  }

  /// Waits until the state is as the condition wants it.
  ///
  /// @return whether it was in that time
  public boolean awaitState(Predicate<NodeState> condition, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      long seen = around.changes().count();
      if (condition.test(state())) return true;
      long left = deadline - System.nanoTime();
      if (left <= 0) return false;
      around.changes().awaitAfter(seen, Duration.ofNanos(left));
    }
  }

  /// Ends what this process does; containers go on and devices stay theirs, for the next start.
  @Override
  public void close() {
    try {
      close(false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the node and takes all pods away: containers, devices, directories, the state file.
  public void closeAndRemovePods() throws InterruptedException {
    close(true);
  }

  private void close(boolean removePods) throws InterruptedException {
    if (closed.getAndSet(true)) return;
    threads.interrupt();
    threads.join();
    if (removePods)
      for (String key : List.copyOf(pods.keySet())) take(key, around.config().stopGrace());
    for (PodLife pod : pods.values()) pod.detach();
    for (PodLife pod : pods.values()) pod.awaitThreads();
    for (PodLife pod : leaving) pod.gone().await();
    try {
      if (lock != null && removePods) removeFiles();
      else if (lock != null && !threads.isEmpty()) state().write(around.config().directory());
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "files not written at the end", e);
    }
    around.devices().close();
    around.source().close();
    unlock();
  }

  private void begin() throws IOException, InterruptedException {
    around.source().start();
    Wanted wanted = around.source().read();
    around.devices().start(running(wanted));
    add(wanted);
    for (PodLife pod : pods.values()) {
      if (!around.devices().held().containsKey(pod.pod().uid())) continue;
      around.devices().know(pod.pod());
      around.reservations().keep(pod.pod());
      if (pod.runsInFull()) pod.admitAgain();
    }
    around.devices().sourcesReady();
    removeOrphans(wanted);
    pods.values().forEach(PodLife::start);
    threads.start("pods", this::followPods);
    threads.start("resources", this::followResources);
    threads.start("state", this::writeState);
  }

  /// Asks the source again after each change.
  private void followPods() throws InterruptedException {
    while (!closed.get()) {
      follow(around.source().read());
      around.source().await();
    }
  }

  private void follow(Wanted wanted) {
    for (Map.Entry<String, PodLife> entry : List.copyOf(pods.entrySet())) {
      Asked asked = wanted.pods().get(entry.getKey());
      if (asked == null || !asked.pod().equals(entry.getValue().pod()))
        take(entry.getKey(), around.config().stopGrace());
      else if (asked.wish() instanceof Wish.End(Duration grace)) take(entry.getKey(), grace);
    }
    add(wanted).forEach(PodLife::start);
    wanted
        .pods()
        .forEach((key, asked) -> {
          if (asked.wish() instanceof Wish.End(Duration grace) && !isLeaving(asked.pod().uid()))
            take(key, new PodLife(around, asked, place(key)), grace);
        });
  }

  /// Makes the pods that are new and run.
  private List<PodLife> add(Wanted wanted) {
    List<PodLife> added = new ArrayList<>();
    wanted
        .pods()
        .forEach((key, asked) -> {
          if (pods.containsKey(key) || !runs(asked.wish())) return;
          PodLife pod = new PodLife(around, asked, place(key));
          pods.put(key, pod);
          added.add(pod);
        });
    if (!problems.equals(wanted.problems()) || !added.isEmpty()) {
      problems = List.copyOf(wanted.problems());
      around.changes().signal();
    }
    return added;
  }

  private static boolean runs(Wish wish) {
    return switch (wish) {
      case Wish.RunWhenItFits _, Wish.RunNow _ -> true;
      case Wish.Keep _, Wish.End _ -> false;
    };
  }

  private boolean isLeaving(String uid) {
    return leaving.stream().anyMatch(pod -> pod.pod().uid().equals(uid));
  }

  private void take(String key, Duration grace) {
    PodLife pod = pods.remove(key);
    if (pod != null) take(key, pod, grace);
  }

  /// Takes a pod away, on a thread of its own.
  private void take(String key, PodLife pod, Duration grace) {
    leaving.add(pod);
    Thread.ofVirtual()
        .name("remove-" + key)
        .start(() -> {
          try {
            pod.remove(grace);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it
          } finally {
            leaving.remove(pod);
          }
        });
  }

  /// What a new pod of this name waits for: the end of the one that is being taken away, of which
  /// the last waits for those before it.
  private CountDownLatch place(String key) {
    CountDownLatch last = new CountDownLatch(0);
    for (PodLife pod : leaving)
      if (key.equals(pod.pod().namespace() + "/" + pod.pod().name())) last = pod.gone();
    return last;
  }

  private void followResources() throws InterruptedException {
    NodeResources seen = around.devices().nodeResources();
    around.changes().signal();
    while (!closed.get()) {
      NodeResources before = seen;
      around.devices().awaitResources(now -> !now.equals(before), STATUS_PERIOD);
      seen = around.devices().nodeResources(); // also tells of plugins whose grace is over
      if (!seen.equals(before)) around.changes().signal();
    }
  }

  private void writeState() throws InterruptedException {
    boolean failed = false;
    while (!closed.get()) {
      long seen = around.changes().count();
      try {
        state().write(around.config().directory());
        failed = false;
      } catch (IOException e) {
        if (!failed && !closed.get()) LOG.log(System.Logger.Level.ERROR, "state not written", e);
        failed = true;
      }
      around.changes().awaitAfter(seen);
    }
  }

  /// Containers that run, and init containers that ran before them and have what they held.
  private Set<RuntimeContainer> running(Wanted wanted) throws IOException, InterruptedException {
    Set<RuntimeContainer> running = new HashSet<>();
    for (Path pod : directories(around.config().pods()))
      for (Path container : directories(pod))
        if (around.containers().status(container) instanceof ContainerStatus.Running)
          running.add(
              running(String.valueOf(pod.getFileName()), String.valueOf(container.getFileName())));
    for (Asked asked : wanted.pods().values()) {
      String uid = asked.pod().uid();
      boolean begun =
          asked.pod().containers().stream()
              .anyMatch(container -> running.contains(running(uid, container.name())));
      if (begun)
        for (ContainerSpec container : asked.pod().initContainers())
          if (!container.sidecar()) running.add(running(uid, container.name()));
    }
    return running;
  }

  private static RuntimeContainer running(String podUid, String container) {
    return new RuntimeContainer(podUid, container, podUid + "/" + container, true);
  }

  /// Removes what is left of pods that nobody asks for any more, since they went away while no
  /// process ran the node.
  private void removeOrphans(Wanted wanted) throws IOException, InterruptedException {
    Set<Path> known = new HashSet<>();
    Set<String> uids = new HashSet<>();
    wanted
        .pods()
        .values()
        .forEach(asked -> {
          if (!(asked.wish() instanceof Wish.Keep)) uids.add(asked.pod().uid());
        });
    for (Asked asked : wanted.pods().values()) {
      Path pod = around.config().pods().resolve(asked.pod().uid());
      asked.pod().initContainers().forEach(container -> known.add(pod.resolve(container.name())));
      asked.pod().containers().forEach(container -> known.add(pod.resolve(container.name())));
    }
    for (Path pod : directories(around.config().pods())) {
      for (Path container : directories(pod))
        if (!known.contains(container))
          around.containers().remove(container, around.config().stopGrace());
      if (!directories(pod).isEmpty()) continue;
      Files.delete(pod);
      LOG.log(System.Logger.Level.INFO, "orphan removed uid={0}", pod.getFileName());
    }
    for (String uid : around.devices().held().keySet())
      if (!uids.contains(uid)) around.devices().release(uid);
  }

  private static List<Path> directories(Path parent) throws IOException {
    List<Path> directories = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(parent)) {
      for (Path entry : entries) if (Files.isDirectory(entry)) directories.add(entry);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return directories;
  }

  private void lock() throws IOException {
    Path file = around.config().directory().resolve("lock");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        lock = channel;
        return;
      }
    } catch (OverlappingFileLockException e) {
      LOG.log(System.Logger.Level.DEBUG, "locked by this process", e);
    }
    channel.close();
    throw new IOException(
        "another kubelet runs in " + around.config().directory() + ": " + file + " is locked");
  }

  private void unlock() {
    try {
      if (lock != null) lock.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "lock not closed", e);
    }
  }

  private void removeFiles() throws IOException {
    Path directory = around.config().directory();
    Files.deleteIfExists(NodeState.file(directory));
    Files.deleteIfExists(directory.resolve("lock"));
    Files.deleteIfExists(directory.resolve("runtime"));
    Files.deleteIfExists(around.config().pods());
  }

  private PodState withDevices(
      PodState pod,
      @Nullable SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>> held) {
    if (held == null) return pod;
    List<ContainerState> containers = new ArrayList<>();
    for (ContainerState container : pod.containers()) {
      NavigableMap<String, List<String>> devices = new TreeMap<>();
      NavigableMap<String, List<String>> unhealthy = new TreeMap<>();
      around
          .devices()
          .health(held.getOrDefault(container.name(), new TreeMap<>()))
          .forEach((name, rows) -> {
            devices.put(name.toString(), ids(rows, _ -> true));
            List<String> broken = ids(rows, row -> !row.healthy());
            if (!broken.isEmpty()) unhealthy.put(name.toString(), broken);
          });
      containers.add(container.with(devices, unhealthy));
    }
    return pod.with(containers);
  }

  private static List<String> ids(List<ResourceHealth> rows, Predicate<ResourceHealth> condition) {
    return rows.stream().filter(condition).map(row -> row.id().value()).toList();
  }

  /// Pods' states are looked at again when a device of theirs changes its health.
  private record HealthNews(Changes changes) implements KubeletEvents {
    @Override
    public void deviceHealthChanged(SortedSet<String> podUids) {
      changes.signal();
    }
  }

  private static SortedMap<String, Long> named(SortedMap<ResourceName, Long> resources) {
    NavigableMap<String, Long> named = new TreeMap<>();
    resources.forEach((name, count) -> named.put(name.toString(), count));
    return named;
  }
}
