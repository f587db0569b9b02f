package dev.patchbay.interop.differential;

import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginOptions;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import dev.patchbay.testkit.ScriptedPlugin;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// One side's copy of a plugin. What it answers depends on the question alone, so that both copies
/// answer the same.
final class LivePlugin implements AutoCloseable {
  private final String resource;
  private final boolean prefers;
  private final boolean watched;
  private final ScriptedPlugin plugin;
  private List<PlannedDevice> devices = List.of();
  private int callsTaken;
  private boolean followed;

  private LivePlugin(Step.PluginUp up, ScriptedPlugin plugin) {
    resource = up.resource();
    prefers = up.prefers();
    watched = up.watched();
    this.plugin = plugin;
  }

  /// Serves, and is registered when this returns, or there to be found.
  static LivePlugin register(Path kubeletDir, Step.PluginUp up, String endpoint)
      throws IOException {
    var options =
        DevicePluginOptions.newBuilder()
            .setGetPreferredAllocationAvailable(up.prefers())
            .setPreStartRequired(up.prepares())
            .build();
    ScriptedPlugin plugin = ScriptedPlugin.serve(kubeletDir, up.resource(), endpoint, options);
    var live = new LivePlugin(up, plugin);
    plugin.onAllocate(live::grant);
    plugin.onPrefer(live::prefer);
    if (up.watched()) plugin.offer();
    else plugin.register();
    return live;
  }

  void list(List<PlannedDevice> newDevices) {
    devices = List.copyOf(newDevices);
    var message = ListAndWatchResponse.newBuilder();
    devices.forEach(device -> message.addDevices(device.message()));
    plugin.list(message.build());
  }

  void refuses(boolean refuses) {
    plugin.onAllocate(refuses ? this::refuse : this::grant);
  }

  void prefersNothing(boolean fails) {
    plugin.onPrefer(
        fails
            ? _ -> {
              throw Status.INTERNAL.withDescription("no preference for " + resource).asException();
            }
            : this::prefer);
  }

  /// Another one of its resource has registered; calls that still come to this one are told apart.
  void follow() {
    followed = true;
  }

  /// Takes away what the kubelet found it by.
  ///
  /// @return whether the kubelet found it so
  boolean withdraw() throws IOException {
    if (watched) plugin.withdraw();
    return watched;
  }

  /// As they were listed last.
  List<PlannedDevice> devices() {
    return devices;
  }

  boolean prefers() {
    return prefers;
  }

  /// The calls that have an effect, since this was asked last.
  List<String> newCalls() {
    List<String> all = List.copyOf(plugin.calls());
    List<String> calls = all.subList(callsTaken, all.size());
    callsTaken = all.size();
    return calls.stream()
        .filter(call -> call.startsWith("Allocate") || call.startsWith("PreStart"))
        .map(call -> resource + (followed ? ", the older one: " : " ") + call)
        .toList();
  }

  private AllocateResponse refuse(AllocateRequest request) throws Exception {
    throw Status.INTERNAL
        .withDescription("no %d of %s".formatted(ids(request).size(), resource))
        .asException();
  }

  private static List<String> ids(AllocateRequest request) {
    return request.getContainerRequests(0).getDevicesIdsList().stream().sorted().toList();
  }

  /// Some of everything that an answer can hold, with names that another resource uses too.
  private AllocateResponse grant(AllocateRequest request) {
    var granted = ContainerAllocateResponse.newBuilder();
    String own = resource.replaceAll("[^a-z0-9]", "_");
    granted.putEnvs("OF_" + own, String.join(",", ids(request)));
    granted.addMounts(
        Mount.newBuilder()
            .setContainerPath("/lib/" + own)
            .setHostPath("/host/" + own)
            .setReadOnly(true));
    for (String id : ids(request)) {
      granted.addDevices(
          DeviceSpec.newBuilder()
              .setHostPath("/dev/" + own + "/" + id)
              .setContainerPath("/dev/" + own + "/" + id)
              .setPermissions("rw"));
      granted.addCdiDevices(CDIDevice.newBuilder().setName(resource + "=" + id));
    }
    granted.putAnnotations("note/" + own, Integer.toString(ids(request).size()));
    return AllocateResponse.newBuilder().addContainerResponses(granted).build();
  }

  /// What has to be in, then the ids whose digits read backwards are smallest: no order that a
  /// kubelet would come to by itself.
  private PreferredAllocationResponse prefer(PreferredAllocationRequest request) {
    var container = request.getContainerRequests(0);
    List<String> chosen =
        new ArrayList<>(container.getMustIncludeDeviceIDsList().stream().sorted().toList());
    container.getAvailableDeviceIDsList().stream()
        .filter(id -> !chosen.contains(id))
        .sorted(Comparator.comparing(id -> new StringBuilder(id).reverse().toString()))
        .limit(Math.max(0, container.getAllocationSize() - chosen.size()))
        .forEach(chosen::add);
    return ScriptedPlugin.preference(chosen.toArray(String[]::new));
  }

  @Override
  public void close() {
    plugin.close();
  }
}
