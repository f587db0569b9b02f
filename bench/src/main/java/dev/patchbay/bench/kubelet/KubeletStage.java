package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;
import dev.patchbay.testkit.ScriptedPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A kubelet in a process of its own with plugins in this one, as a [KubeletSetting] says.
final class KubeletStage implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int DEVICES_OF_A_POD = 8;
  private static final String CONTAINER = "main";

  private final KubeletSetting setting;
  private final Path directory;
  private final ControlledKubelet kubelet;
  private final List<ScriptedPlugin> plugins = new ArrayList<>();
  private int admitted;

  private KubeletStage(KubeletSetting setting, Path directory, ControlledKubelet kubelet) {
    this.setting = setting;
    this.directory = directory;
    this.kubelet = kubelet;
  }

  /// Starts everything and waits until all devices are there and all pods have theirs.
  static KubeletStage start(List<String> command, KubeletSetting setting) throws IOException {
    Path directory = Files.createTempDirectory(place(), "pb");
    var stage = new KubeletStage(setting, directory, startProcess(command, directory));
    Files.createDirectory(directory.resolve("device-plugins"));
    Files.createDirectory(directory.resolve("state"));
    try {
      stage.startKubelet();
      for (int i = 0; i < setting.resources(); i++) stage.startPlugin(i);
      for (int i = 0; i < setting.resources(); i++)
        stage.awaitAllocatable(resource(i), setting.devices());
      for (int i = 0; i < setting.pods(); i++) stage.admit(DEVICES_OF_A_POD);
      return stage;
    } catch (IOException | RuntimeException e) {
      stage.close();
      throw e;
    }
  }

  /// A file system in memory where there is one: a disk's own time would hide what is measured. The
  /// paths of sockets have to be short.
  private static Path place() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of("/tmp");
  }

  private static ControlledKubelet startProcess(List<String> command, Path directory)
      throws IOException {
    try {
      return new ControlledKubelet(command, directory.resolve("log"));
    } catch (IOException e) {
      remove(directory);
      throw e;
    }
  }

  private void startKubelet() throws IOException {
    ObjectNode config =
        ControlledKubelet.object()
            .put("dir", directory.resolve("device-plugins").toString())
            .put("podResources", podResources().toString())
            .put("policy", setting.policy());
    config.putObject("numa").put("nodes", setting.nodes()).put("cpusPerNode", 4);
    if (setting.staticCpus())
      config
          .put("state", directory.resolve("state").toString())
          .put("cpuPolicy", "static")
          .put("reservedCPUs", "0");
    ObjectNode start = ControlledKubelet.object();
    start.set("config", config);
    kubelet.ask("start", start);
  }

  private void startPlugin(int number) throws IOException {
    var plugin = serve(number);
    plugin.list(list(setting.devices()));
    plugin.register();
  }

  private ScriptedPlugin serve(int number) throws IOException {
    var plugin =
        ScriptedPlugin.serve(
            directory,
            resource(number),
            "p" + number + ".sock",
            DevicePluginOptions.getDefaultInstance());
    plugins.add(plugin);
    return plugin;
  }

  private ListAndWatchResponse list(int healthy) {
    var list = ListAndWatchResponse.newBuilder();
    for (int i = 0; i < setting.devices(); i++)
      list.addDevices(
          Device.newBuilder()
              .setID("device-%06d".formatted(i))
              .setHealth(i < healthy ? "Healthy" : "Unhealthy")
              .setTopology(
                  TopologyInfo.newBuilder()
                      .addNodes(NUMANode.newBuilder().setID(i % setting.nodes()))));
    return list.build();
  }

  private static String resource(int number) {
    return "vendor.example/r" + number;
  }

  private void awaitAllocatable(String resource, int count) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    JsonNode last;
    do {
      last = kubelet.ask("capacity", ControlledKubelet.object()).value();
      if (last.path("allocatable").path(resource).asInt(-1) == count) return;
    } while (System.nanoTime() < deadline);
    throw new IOException("allocatable of " + resource + " is not " + count + " but " + last);
  }

  /// Admits a pod that wants so many devices of each resource. The node's predicates are left out:
  /// they refuse more than 110 pods.
  ///
  /// @return what the kubelet says it took, in microseconds
  long admit(int devices) throws IOException {
    admitted++;
    var reply = kubelet.ask("admit", pod(devices).put("predicates", false));
    if (!reply.value().path("admit").asBoolean())
      throw new IOException("pod " + name() + " was refused: " + reply.value());
    return reply.micros();
  }

  /// Hints for a container that wants one device of each resource, which is not admitted.
  ///
  /// @return what the kubelet says it took, in microseconds
  long hints() throws IOException {
    admitted++;
    return kubelet.ask("hints", pod(1).put("container", CONTAINER)).micros();
  }

  private ObjectNode pod(int devices) {
    ObjectNode request = ControlledKubelet.object();
    ObjectNode pod = request.putObject("pod");
    pod.putObject("metadata")
        .put("name", name())
        .put("namespace", "default")
        .put("uid", "uid-" + name());
    ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
    container.put("name", CONTAINER).put("image", "none");
    ObjectNode resources = container.putObject("resources");
    for (String kind : List.of("limits", "requests")) {
      ObjectNode amounts = resources.putObject(kind);
      for (int i = 0; i < setting.resources(); i++) amounts.put(resource(i), "" + devices);
      if (setting.staticCpus()) amounts.put("cpu", "1").put("memory", "1Mi");
    }
    return request;
  }

  private String name() {
    return "pod-" + admitted;
  }

  /// The pod that was admitted last is gone.
  void remove() throws IOException {
    kubelet.ask("remove", ControlledKubelet.object().put("uid", "uid-" + name()));
  }

  /// Sends a list in which one device more or less is healthy, and waits until the kubelet shows
  /// it.
  ///
  /// @return microseconds from the sending on
  long listAgain(boolean allHealthy) throws IOException {
    int healthy = setting.devices() - (allHealthy ? 0 : 1);
    var list = list(healthy);
    long begin = System.nanoTime();
    plugins.getFirst().list(list);
    awaitAllocatable(resource(0), healthy);
    return (System.nanoTime() - begin) / 1_000;
  }

  /// Restarts the kubelet, has the plugin register without a list, and then sends one, whose
  /// devices are all new.
  ///
  /// @return microseconds from the sending on
  long listAnew() throws IOException {
    kubelet.ask("restart", ControlledKubelet.object());
    plugins.forEach(ScriptedPlugin::close);
    plugins.clear();
    var plugin = serve(0);
    plugin.register();
    var list = list(setting.devices());
    long begin = System.nanoTime();
    plugin.list(list);
    awaitAllocatable(resource(0), setting.devices());
    return (System.nanoTime() - begin) / 1_000;
  }

  /// The kubelet's resident memory, in KiB.
  long residentKib() throws IOException {
    return kubelet.ask("rss", ControlledKubelet.object()).value().path("rssKiB").asLong();
  }

  Path podResources() {
    return directory.resolve("pods.sock");
  }

  /// Ends the kubelet and the plugins and removes their files.
  @Override
  public void close() throws IOException {
    kubelet.close();
    plugins.forEach(ScriptedPlugin::close);
    remove(directory);
  }

  private static void remove(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(directory)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) Files.deleteIfExists(file);
  }
}
