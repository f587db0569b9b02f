package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.rpc.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One of the two: a kubelet with its own directory and its own copies of the plugins.
///
/// The process stays for the next scenario; the directory is a new one each time.
final class Side implements AutoCloseable {
  private final String name;
  private final List<String> command;
  private final ObjectNode own;
  private final Path log;
  private final Transport transport = Transport.open();
  private final SortedMap<String, LivePlugin> plugins = new TreeMap<>();
  private final List<LivePlugin> older = new ArrayList<>();
  private final List<String> callsOfEnded = new ArrayList<>();
  private Optional<ControlledKubelet> process = Optional.empty();
  private Optional<Path> directory = Optional.empty();
  private int endpoints;

  /// @param command what answers the control protocol
  /// @param own what its configuration has that the other's has not
  Side(String name, List<String> command, ObjectNode own, Path log) {
    this.name = name;
    this.command = List.copyOf(command);
    this.own = own;
    this.log = log;
  }

  String name() {
    return name;
  }

  private Path directory() {
    return directory.orElseThrow();
  }

  Path devicePlugins() {
    return directory().resolve("device-plugins");
  }

  private ControlledKubelet kubelet() throws IOException {
    if (process.isEmpty() || !process.get().isAlive())
      process = Optional.of(ControlledKubelet.start(name, command, log));
    return process.get();
  }

  JsonNode ask(String operation, ObjectNode arguments) {
    try {
      return kubelet().ask(operation, arguments);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  JsonNode ask(String operation) {
    return ask(operation, ControlledKubelet.arguments());
  }

  /// Begins a scenario in a new directory.
  void begin(Scenario scenario) throws IOException {
    directory = Optional.of(Files.createTempDirectory(Path.of("/tmp"), "pb"));
    Files.createDirectory(devicePlugins());
    start("start", config(scenario));
  }

  ObjectNode config(Scenario scenario) {
    ObjectNode config = scenario.settings().json();
    config.set("topology", scenario.machine().topology());
    config.put("dir", devicePlugins().toString());
    config.put("podResources", podResourcesSocket().toString());
    if (scenario.settings().hasState()) config.put("state", state().toString());
    if (scenario.watches())
      config.put("registry", directory().resolve("plugins_registry").toString());
    config.setAll(own);
    return config;
  }

  /// Where the managers of CPUs and memory keep their files.
  Path state() {
    return directory().resolve("state");
  }

  Path podResourcesSocket() {
    return directory().resolve("pr.sock");
  }

  /// @param operation `start`, or `restart` within the process
  void start(String operation, ObjectNode config) throws IOException {
    Files.createDirectories(state());
    ask(operation, ControlledKubelet.arguments().set("config", config));
  }

  /// Ends the kubelet as `kill -9` does.
  void kill() {
    process.ifPresent(ControlledKubelet::close);
    process = Optional.empty();
  }

  Optional<LivePlugin> plugin(String resource) {
    return Optional.ofNullable(plugins.get(resource));
  }

  /// Waits until the kubelet has this list.
  void up(Step.PluginUp step) throws IOException {
    down(step.resource());
    register(step);
  }

  /// The same beside the one that is up.
  void over(Step.PluginOver step) throws IOException {
    LivePlugin before = Objects.requireNonNull(plugins.remove(step.resource()), step.resource());
    before.follow();
    older.add(before);
    register(new Step.PluginUp(step.resource(), step.prefers(), false, false, step.devices()));
  }

  private void register(Step.PluginUp step) throws IOException {
    String endpoint = "p" + endpoints++ + ".sock";
    LivePlugin plugin = LivePlugin.register(directory(), step, endpoint);
    plugins.put(step.resource(), plugin);
    list(plugin, step.resource(), step.devices());
  }

  /// Sends a list and waits until the kubelet has it.
  void list(LivePlugin plugin, String resource, List<PlannedDevice> devices) {
    Optional<Object> before = checkpointFile();
    SortedSet<String> healthy =
        devices.stream()
            .filter(PlannedDevice::healthy)
            .map(PlannedDevice::id)
            .collect(Collectors.toCollection(TreeSet::new));
    plugin.list(devices);
    Patience.await(
        name + " has the list of " + resource,
        () ->
            !checkpointFile().equals(before)
                && healthy.equals(CheckpointView.read(devicePlugins()).registered().get(resource))
                && sets(resource).path("all").asInt() == devices.size()
                && sets(resource).path("healthy").asInt() == healthy.size(),
        () ->
            sets(resource) + " " + CheckpointView.read(devicePlugins()).registered().get(resource));
  }

  /// Each write makes a new file.
  private Optional<Object> checkpointFile() {
    Path file = devicePlugins().resolve(CheckpointView.NAME);
    try {
      return Optional.of(
          Files.getAttribute(file, "unix:ino") + " " + Files.getAttribute(file, "unix:ctime"));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  JsonNode sets(String resource) {
    return ask("sets", ControlledKubelet.arguments().put("resource", resource));
  }

  /// Ends the plugin and waits until the kubelet has noticed it.
  void down(String resource) throws IOException {
    LivePlugin plugin = plugins.remove(resource);
    if (plugin == null) return;
    callsOfEnded.addAll(plugin.newCalls());
    if (plugin.withdraw()) awaitStop(resource);
    plugin.close();
    awaitStop(resource);
  }

  private void awaitStop(String resource) {
    Patience.await(
        name + " has noticed the end of " + resource,
        () -> sets(resource).path("stopped").asBoolean(),
        () -> sets(resource).toString());
  }

  /// All plugins end, and nobody waits for what the kubelet thinks of it.
  void dropPlugins() {
    for (LivePlugin plugin : all()) {
      callsOfEnded.addAll(plugin.newCalls());
      plugin.close();
    }
    plugins.clear();
    older.clear();
  }

  private List<LivePlugin> all() {
    List<LivePlugin> all = new ArrayList<>(plugins.values());
    all.addAll(older);
    return all;
  }

  /// Allocate and PreStartContainer calls since this was asked last, sorted: the order of a
  /// container's resources is arbitrary.
  List<String> newCalls() {
    List<String> calls = new ArrayList<>(callsOfEnded);
    callsOfEnded.clear();
    for (LivePlugin plugin : all()) calls.addAll(plugin.newCalls());
    calls.sort(null);
    return calls;
  }

  SortedMap<String, List<String>> podResources(Collection<String> pods) throws IOException {
    return PodResourcesView.ask(transport, podResourcesSocket(), pods);
  }

  /// Ends the scenario: what it left behind is gone.
  void end() throws IOException {
    dropPlugins();
    callsOfEnded.clear();
    try {
      if (process.isPresent()) process.get().ask("stop");
    } catch (ControlledKubelet.Crash | ControlledKubelet.Failure e) {
      kill();
    }
    if (directory.isPresent()) {
      try (Stream<Path> all = Files.walk(directory.get())) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(each);
      }
    }
    directory = Optional.empty();
  }

  @Override
  public void close() {
    dropPlugins();
    kill();
    transport.close();
  }
}
