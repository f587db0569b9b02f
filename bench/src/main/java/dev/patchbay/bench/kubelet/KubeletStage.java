package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import dev.patchbay.proto.deviceplugin.v1beta1.TopologyInfo;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import dev.patchbay.testkit.ScriptedPlugin;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A kubelet with plugins in this process, as a [KubeletSetting] says.
final class KubeletStage implements AutoCloseable {
  /// The one container of each pod.
  static final String CONTAINER = "main";

  /// How long one request to a kubelet may take, and how long a list may not show.
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final int DEVICES_OF_A_POD = 8;

  private final KubeletSetting setting;
  private final KubeletFiles files;
  private final MeasuredKubelet kubelet;
  private final List<ScriptedPlugin> plugins = new ArrayList<>();
  private final Transport transport = Transport.open();
  private int announced;

  private KubeletStage(KubeletSetting setting, KubeletFiles files, MeasuredKubelet kubelet) {
    this.setting = setting;
    this.files = files;
    this.kubelet = kubelet;
  }

  /// A process that answers the control protocol.
  static KubeletStage of(List<String> command, KubeletSetting setting) throws IOException {
    KubeletFiles files = KubeletFiles.create();
    try {
      return start(setting, files, new ControlledKubelet(command, files.log(), PATIENCE));
    } catch (IOException e) {
      files.close();
      throw e;
    }
  }

  /// Our kubelet side in this process.
  static KubeletStage inThisProcess(KubeletSetting setting) throws IOException {
    return start(setting, KubeletFiles.create(), new InnerKubelet());
  }

  /// Starts everything and waits until all devices are there and all pods have theirs.
  private static KubeletStage start(
      KubeletSetting setting, KubeletFiles files, MeasuredKubelet kubelet) throws IOException {
    var stage = new KubeletStage(setting, files, kubelet);
    try {
      kubelet.start(setting, files);
      for (int i = 0; i < setting.resources(); i++) stage.startPlugin(i);
      for (int i = 0; i < setting.resources(); i++)
        stage.awaitAllocatable(resource(i), setting.devices());
      for (int i = 0; i < setting.pods(); i++) {
        stage.announce(DEVICES_OF_A_POD);
        stage.admit();
      }
      return stage;
    } catch (IOException | RuntimeException e) {
      stage.close();
      throw e;
    }
  }

  private void startPlugin(int number) throws IOException {
    var plugin = serve(number);
    plugin.list(list(setting.devices()));
    plugin.register();
  }

  private ScriptedPlugin serve(int number) throws IOException {
    var plugin =
        ScriptedPlugin.serve(
            files.root(),
            resource(number),
            "p" + number + ".sock",
            DevicePluginOptions.getDefaultInstance());
    plugins.add(plugin);
    return plugin;
  }

  /// The plugin's list; the first so many devices are healthy.
  ListAndWatchResponse list(int healthy) {
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

  /// How many devices each resource has.
  int devices() {
    return setting.devices();
  }

  private static String resource(int number) {
    return "vendor.example/r" + number;
  }

  private void awaitAllocatable(String resource, int count) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long last;
    do {
      last = kubelet.allocatable(resource);
      if (last == count) return;
    } while (System.nanoTime() < deadline);
    throw new IOException("allocatable of %s is %d; needed is %d".formatted(resource, last, count));
  }

  /// The next pod wants so many devices of each resource.
  void announce(int devices) throws IOException {
    announced++;
    ObjectNode pod = ControlledKubelet.object();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata").put("name", name()).put("namespace", "default").put("uid", uid());
    ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
    container.put("name", CONTAINER).put("image", "none");
    ObjectNode resources = container.putObject("resources");
    for (String kind : List.of("limits", "requests")) {
      ObjectNode amounts = resources.putObject(kind);
      for (int i = 0; i < setting.resources(); i++) amounts.put(resource(i), "" + devices);
      if (setting.staticCpus()) amounts.put("cpu", "1").put("memory", "1Mi");
    }
    kubelet.announce(pod);
  }

  private String name() {
    return "pod-" + announced;
  }

  private String uid() {
    return "uid-" + name();
  }

  /// Admits the announced pod.
  ///
  /// @return microseconds
  long admit() throws IOException {
    return kubelet.admit();
  }

  /// Hints for the announced pod, which is not admitted.
  ///
  /// @return microseconds
  long hints() throws IOException {
    return kubelet.hints();
  }

  /// The pod that was announced last is gone; none of those that the setting wants.
  void remove() throws IOException {
    if (announced > setting.pods()) kubelet.remove(uid());
  }

  /// The plugin sends a list; waits until the kubelet shows so many devices as allocatable.
  ///
  /// @return microseconds from the sending on
  long send(ListAndWatchResponse list, int healthy) throws IOException {
    long begin = System.nanoTime();
    plugins.getFirst().list(list);
    awaitAllocatable(resource(0), healthy);
    return (System.nanoTime() - begin) / 1_000;
  }

  /// Restarts the kubelet and has the plugin register without a list.
  void restart() throws IOException {
    kubelet.restart();
    plugins.forEach(ScriptedPlugin::close);
    plugins.clear();
    serve(0).register();
  }

  /// The kubelet's resident memory, in KiB.
  long residentKib() throws IOException {
    return kubelet.residentKib();
  }

  /// Makes a connection to the PodResources service; the caller's to close.
  UnixChannel podResources() throws IOException {
    return transport.connect(files.podResources());
  }

  /// Calls on such a connection.
  static PodResourcesListerBlockingStub calls(UnixChannel channel) {
    return PodResourcesListerGrpc.newBlockingStub(channel.grpc());
  }

  /// Ends the kubelet and the plugins and removes their files.
  @Override
  public void close() throws IOException {
    kubelet.close();
    plugins.forEach(ScriptedPlugin::close);
    transport.close();
    files.close();
  }
}
