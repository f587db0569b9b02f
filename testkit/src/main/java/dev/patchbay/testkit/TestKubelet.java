package dev.patchbay.testkit;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceManagerConfig;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.KubernetesMinor;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.Quirk;
import dev.patchbay.kubelet.SteadyClock;
import dev.patchbay.kubelet.config.ConfigProblem;
import dev.patchbay.kubelet.config.KubeletConfigReader;
import dev.patchbay.kubelet.config.KubeletConfigReading;
import dev.patchbay.kubelet.config.MachineRoom;
import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig;
import dev.patchbay.kubelet.pods.PodManifest;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.registration.PluginApi;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.TopologyPolicy;
import dev.patchbay.kubelet.topology.TopologySettings;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.testkit.Received.Registered;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// A kubelet for the test of a plugin: plugins register with it, in either way; it counts their
/// devices, admits pods and says what their containers get, but starts no container. It is
/// Patchbay's own kubelet side on real sockets, in a directory that is `/var/lib/kubelet` so to
/// speak.
///
/// A test tells it what to do ([#restart], [#kill], [#breakList], [#refuseRegistrations] …), waits
/// for what should come of it (methods that begin with `await`), and looks at what it [#received].
/// JUnit gives one to a test that has the annotation [EmbeddedKubelet]; without JUnit:
///
/// ```java
/// try (var kubelet = TestKubelet.making().make().start();
///     var host = PluginHost.start(PluginHostConfig.of(kubelet.directory()))) {
///   host.serve(ResourceName.of("example.com/fuse"), new FusePlugin(…));
///   kubelet.awaitAllocatable("example.com/fuse", 2);
///   assertThat(kubelet.allocate("example.com/fuse", 1).edits().deviceNodes()).…
/// }
/// ```
///
/// What is waited for comes within half a minute, or an `AssertionError` says what is there
/// instead. One thread drives it; what it received can be read by any.
public final class TestKubelet implements KubeletUnderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int CPUS_PER_NODE = 8;
  private static final long MEMORY_PER_NODE = 1L << 34;

  private final Path directory;
  private final boolean directoryIsOurs;
  private final KubeletSettings settings;
  private final Received received = new Received();
  private final Map<String, PodSpec> pods = new HashMap<>();
  private Received.Observer observer = received.new Observer();
  private Optional<Kubelet> running = Optional.empty();
  private Optional<AutoCloseable> misplaced = Optional.empty();
  private int podsMade;

  private TestKubelet(Path directory, boolean directoryIsOurs, KubeletSettings settings) {
    this.directory = directory;
    this.directoryIsOurs = directoryIsOurs;
    this.settings = settings;
  }

  /// What a kubelet is made of; each part has a usual value.
  public static final class Making {
    private Optional<Path> directory = Optional.empty();
    private Duration callTimeout = Duration.ofSeconds(10);
    private Set<PluginApi> apis = EnumSet.allOf(PluginApi.class);
    private UnaryOperator<KubeletSettings> change = UnaryOperator.identity();
    private String config = "";

    private Making() {}

    /// In this directory, which stays when the kubelet ends. Without it, in a new temporary one
    /// that goes away with it.
    public Making in(Path kubeletDir) {
      directory = Optional.of(kubeletDir.toAbsolutePath());
      return this;
    }

    /// With this deadline of calls to a plugin.
    public Making callTimeout(Duration timeout) {
      callTimeout = timeout;
      return this;
    }

    /// With these versions of the device plugin API alone; see [EmbeddedKubelet#apis].
    ///
    /// @throws IllegalArgumentException when one is unknown
    public Making apis(String... versions) {
      apis = EnumSet.noneOf(PluginApi.class);
      for (String version : versions)
        apis.add(
            Arrays.stream(PluginApi.values())
                .filter(each -> each.version().equals(version))
                .findFirst()
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "no version of the device plugin API is called \"" + version + '"')));
      return this;
    }

    /// With a topology manager of this policy, in the scope `container`, on a machine with so many
    /// NUMA nodes of 8 CPUs each; see [EmbeddedKubelet#topologyPolicy].
    public Making topology(String policy, int numaNodes) {
      return settings(usual ->
          usual.withTopology(TopologySettings.of(policy, "container"), machine(numaNodes)));
    }

    private static NumaMachine machine(int numaNodes) {
      return NumaMachine.regular(numaNodes, CPUS_PER_NODE, MEMORY_PER_NODE);
    }

    /// Following this version of Kubernetes; see [EmbeddedKubelet#kubernetes].
    ///
    /// @throws IllegalArgumentException when it is not known
    public Making kubernetes(String version) {
      KubernetesMinor minor =
          KubernetesMinor.of(version)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "Kubernetes \"%s\" is not followed; needed is one of %s"
                          .formatted(version, Arrays.toString(KubernetesMinor.values()))));
      return settings(usual -> usual.withMinor(minor));
    }

    /// With these of upstream's defects.
    public Making quirks(Quirk... some) {
      return settings(usual -> usual.withQuirks(Set.of(some)));
    }

    /// With these fields of a `KubeletConfiguration`, which win over what else was said; see
    /// [EmbeddedKubelet#config].
    public Making config(String fields) {
      config = fields;
      return this;
    }

    private KubeletSettings configured(KubeletSettings settings, Path directory) {
      if (config.isBlank()) return settings;
      MachineRoom room = MachineRoom.of(settings.machine());
      return switch (KubeletConfigReader.readFields("config", config, room, settings)) {
        case KubeletConfigReading.Valid valid -> valid.configuration().over(settings, directory);
        case KubeletConfigReading.Wrong wrong ->
            throw new IllegalArgumentException(
                wrong.problems().stream()
                    .map(ConfigProblem::toString)
                    .collect(Collectors.joining("\n")));
      };
    }

    /// With other settings of the kubelet side, in addition to those before: another version of
    /// Kubernetes, feature gates, defects of upstream's kubelet that a plugin has to live with
    /// ([dev.patchbay.kubelet.Quirk]).
    public Making settings(UnaryOperator<KubeletSettings> more) {
      UnaryOperator<KubeletSettings> before = change;
      change = usual -> more.apply(before.apply(usual));
      return this;
    }

    /// Makes it; nothing is touched but a temporary directory before [TestKubelet#start].
    ///
    /// @throws IllegalArgumentException when there is no such policy of the topology manager, or
    ///   the configuration is wrong
    public TestKubelet make() throws IOException {
      // Short, since a socket's path has at most 107 bytes.
      Path made =
          directory.isPresent()
              ? directory.get()
              : Files.createTempDirectory(Path.of("/tmp"), "pbk");
      DeviceManagerConfig usual = DeviceManagerConfig.of(made.resolve("device-plugins"));
      var devices =
          new DeviceManagerConfig(
              usual.devicePluginDir(),
              usual.endpointGrace(),
              usual.dialTimeout(),
              callTimeout,
              callTimeout);
      KubeletSettings plain =
          KubeletSettings.of(devices)
              .withPluginApis(apis)
              .withTopology(TopologySettings.DEFAULTS, machine(1));
      KubeletSettings settings = configured(change.apply(plain), made);
      var _ = TopologyPolicy.of(settings.topology(), settings.machine());
      return new TestKubelet(made, directory.isEmpty(), settings);
    }
  }

  /// Begins to make a kubelet.
  public static Making making() {
    return new Making();
  }

  /// The kubelet's directory, for `PluginHostConfig.of`.
  public Path directory() {
    return directory;
  }

  /// Where `kubelet.sock` lies and the plugins' sockets.
  public Path devicePluginDir() {
    return settings.devices().devicePluginDir();
  }

  /// Where plugins put sockets that want to be found.
  public Path pluginsRegistryDir() {
    return directory.resolve("plugins_registry");
  }

  /// Starts it. It goes on where the last one in this directory ended.
  ///
  /// @throws IllegalStateException when it runs
  public TestKubelet start() throws IOException {
    if (running.isPresent()) throw new IllegalStateException("the kubelet runs already");
    clearMisplaced();
    var kubelet = new Kubelet(settings, SteadyClock.started(), KubeletEvents.NONE, observer);
    running = Optional.of(kubelet);
    try {
      kubelet.start(Set.of());
      pods.values().forEach(kubelet::know);
      kubelet.sourcesReady(true);
      // Sooner than a node's kubelet, which looks once a second.
      kubelet.watchPlugins(
          settings
              .minor()
              .watcher(
                  PluginWatcherConfig.of(pluginsRegistryDir())
                      .withPassEvery(Duration.ofMillis(50))));
    } catch (IOException e) {
      stop();
      throw e;
    }
    return this;
  }

  /// Stops it: streams end, `kubelet.sock` goes away. No harm when it does not run.
  public TestKubelet stop() {
    observer.end();
    running.ifPresent(Kubelet::close);
    running = Optional.empty();
    observer = observer.next();
    return this;
  }

  /// Stops it and starts it again, as plugins see it on an update of the kubelet.
  public TestKubelet restart() throws IOException {
    return stop().start();
  }

  /// Ends as a killed process does: `kubelet.sock` stays with nobody behind it. [#start] starts it
  /// again.
  @Override
  public void kill() throws IOException {
    // A server removes the file that it made, and no other.
    Path dead = devicePluginDir().resolve("dead.sock");
    try (var nobody = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      nobody.bind(UnixDomainSocketAddress.of(dead));
    }
    Files.move(dead, devicePluginDir().resolve("kubelet.sock"), StandardCopyOption.ATOMIC_MOVE);
    stop();
  }

  /// Stops it and leaves something else in the place of `kubelet.sock`, until [#start].
  public TestKubelet leave(WrongSocket wrong) throws IOException {
    stop();
    Files.createDirectories(devicePluginDir());
    misplaced = Optional.of(wrong.place(devicePluginDir().resolve("kubelet.sock")));
    return this;
  }

  private void clearMisplaced() throws IOException {
    if (misplaced.isEmpty()) return;
    try {
      misplaced.get().close();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("what lay in the place of kubelet.sock stays: " + e.getMessage(), e);
    }
    misplaced = Optional.empty();
  }

  /// Stops it and removes its directories with all that is in them, the plugins' sockets too;
  /// [#start] makes them again.
  public TestKubelet removeDirectory() throws IOException {
    stop();
    clearMisplaced();
    SocketFiles.removeTree(devicePluginDir());
    SocketFiles.removeTree(pluginsRegistryDir());
    return this;
  }

  /// Stops it for good. May be called twice.
  @Override
  public void close() throws IOException {
    stop();
    clearMisplaced();
    if (directoryIsOurs) SocketFiles.removeTree(directory);
  }

  /// Refuses registrations on `kubelet.sock` with this text, until [#acceptRegistrations].
  public TestKubelet refuseRegistrations(String why) {
    observer.refuse(Optional.of(why));
    return this;
  }

  /// Looks at each registration on `kubelet.sock` so late only; one that is not to be answered at
  /// all gets a day.
  public TestKubelet slowDown(Duration delay) {
    observer.delay(delay);
    return this;
  }

  /// Neither refuses registrations nor delays them any more, those that wait neither.
  public TestKubelet acceptRegistrations() {
    observer.refuse(Optional.empty());
    observer.delay(Duration.ZERO);
    return this;
  }

  /// Breaks off the ListAndWatch streams of a resource, with nothing said.
  ///
  /// @throws AssertionError when there is none
  public TestKubelet breakList(String resource) {
    if (!kubelet().disconnect(ResourceName.of(resource)))
      throw new AssertionError("no plugin of " + resource + " is connected; " + this);
    return this;
  }

  /// What it received so far.
  public Received received() {
    return received;
  }

  /// Waits until a plugin of this resource is registered for the first time.
  public Registered awaitRegistration(String resource) throws InterruptedException {
    return awaitRegistration(resource, 1);
  }

  /// Waits until a plugin of this resource is registered so many times, over all restarts.
  public Registered awaitRegistration(String resource, int times) throws InterruptedException {
    if (!received.await(now -> now.registrations(resource).size() >= times, PATIENCE))
      throw missing(times + " registrations of " + resource);
    return received.registrations(resource).get(times - 1);
  }

  /// Waits until a registration of this resource on `kubelet.sock` was refused so many times.
  public TestKubelet awaitRefusals(String resource, int times) throws InterruptedException {
    if (!received.await(
        now ->
            now.refusals().stream().filter(each -> each.resource().equals(resource)).count()
                >= times,
        PATIENCE)) throw missing(times + " refusals of " + resource);
    return this;
  }

  /// Waits until a list of this resource has exactly these devices.
  ///
  /// @param devices as `id=Healthy`
  public TestKubelet awaitList(String resource, String... devices) throws InterruptedException {
    List<String> wanted = Arrays.stream(devices).sorted().toList();
    if (!received.await(
        now -> now.lists(resource).stream().anyMatch(list -> list.healths().equals(wanted)),
        PATIENCE)) throw missing("a list " + wanted + " of " + resource);
    return this;
  }

  /// Waits until the node shows so many healthy devices of a resource.
  public TestKubelet awaitAllocatable(String resource, long count) throws InterruptedException {
    ResourceName name = ResourceName.of(resource);
    if (!kubelet()
        .awaitResources(now -> now.allocatable().getOrDefault(name, 0L) == count, PATIENCE))
      throw missing(count + " healthy of " + resource);
    return this;
  }

  /// Waits until the node shows so many devices of a resource, healthy or not.
  public TestKubelet awaitCapacity(String resource, long count) throws InterruptedException {
    ResourceName name = ResourceName.of(resource);
    if (!kubelet().awaitResources(now -> now.capacity().getOrDefault(name, 0L) == count, PATIENCE))
      throw missing(count + " of " + resource);
    return this;
  }

  private AssertionError missing(String what) {
    return new AssertionError("no " + what + " within " + PATIENCE + "; " + this);
  }

  @Override
  public SortedMap<String, Long> capacity() {
    return named(kubelet().nodeResources().capacity());
  }

  @Override
  public SortedMap<String, Long> allocatable() {
    return named(kubelet().nodeResources().allocatable());
  }

  private static SortedMap<String, Long> named(Map<ResourceName, Long> counts) {
    SortedMap<String, Long> named = new TreeMap<>();
    counts.forEach((resource, count) -> named.put(resource.toString(), count));
    return named;
  }

  /// What a container got.
  ///
  /// @param pod to be given to [#release]
  /// @param devices ids, sorted
  public record Granted(String pod, List<String> devices, ContainerEdits edits) {
    public Granted {
      devices = List.copyOf(devices);
    }
  }

  /// Admits a new pod with one container that asks for so many devices, and prepares its start.
  ///
  /// @throws AssertionError when the pod is refused; use [#admit] where it should be
  public Granted allocate(String resource, int count) throws IOException {
    String pod = "pod-" + ++podsMade;
    Optional<Rejection> rejection = admit(PodText.of(pod, resource, count));
    if (rejection.isPresent())
      throw new AssertionError(
          "%d of %s are not given: %s".formatted(count, resource, rejection.get()));
    ContainerEdits edits = runOptions(pod, "main");
    return new Granted(pod, held(pod, "main", resource), edits);
  }

  @Override
  public Optional<Rejection> admit(String manifest) {
    PodSpec pod = read(manifest);
    pods.put(pod.name(), pod);
    return switch (kubelet().admit(pod)) {
      case Admission.Admitted _ -> Optional.empty();
      case Admission.Refused refused ->
          Optional.of(new Rejection(refused.reason(), refused.message()));
    };
  }

  private static PodSpec read(String manifest) {
    PodManifest read = PodManifests.read("pod.yaml", manifest);
    if (!read.problems().isEmpty() || read.pods().size() != 1)
      throw new IllegalArgumentException(
          "needed is the manifest of one pod, found are %d and problems %s"
              .formatted(read.pods().size(), read.problems()));
    return read.pods().getFirst();
  }

  @Override
  public ContainerEdits runOptions(String pod, String container) throws IOException {
    return kubelet().runOptions(admitted(pod), container).orElse(ContainerEdits.NONE);
  }

  /// The devices that a container of a pod holds, sorted.
  public List<String> held(String pod, String container, String resource) {
    return kubelet()
        .held()
        .getOrDefault(admitted(pod).uid(), new TreeMap<>())
        .getOrDefault(container, new TreeMap<>())
        .getOrDefault(ResourceName.of(resource), new TreeSet<>())
        .stream()
        .map(DeviceId::value)
        .toList();
  }

  @Override
  public void release(String pod) {
    kubelet().release(admitted(pod).uid());
    pods.remove(pod);
  }

  private PodSpec admitted(String name) {
    PodSpec pod = pods.get(name);
    if (pod == null)
      throw new IllegalArgumentException(
          "no pod " + name + " was admitted, but " + List.copyOf(pods.keySet()));
    return pod;
  }

  private Kubelet kubelet() {
    return running.orElseThrow(() -> new IllegalStateException("the kubelet does not run"));
  }

  @Override
  public String toString() {
    return "kubelet in "
        + directory
        + running.map(each -> resources(each.nodeResources())).orElse(" that does not run")
        + ", which received"
        + received;
  }

  private static String resources(NodeResources now) {
    return " with capacity " + now.capacity() + " and allocatable " + now.allocatable();
  }
}
