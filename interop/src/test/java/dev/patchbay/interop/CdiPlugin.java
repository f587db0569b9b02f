package dev.patchbay.interop;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.cdi.CdiKind;
import dev.patchbay.cdi.CdiName;
import dev.patchbay.cdi.CdiSpec;
import dev.patchbay.cdi.CdiSpecFile;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.DeviceFeed;
import dev.patchbay.sdk.DevicePlugin;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A plugin as an author writes one that leaves the containers to CDI: `a.b/cdi`, whose answers are
/// nothing but names, and the spec file in which the runtime finds what they mean. Its devices are
/// the nodes `/run/toy0` and `/run/toy1`.
record CdiPlugin(DeviceFeed devices) implements DevicePlugin {
  static final String RESOURCE = "a.b/cdi";
  private static final CdiKind KIND = CdiKind.of("a.b/cdi");

  /// What each container gets with the first device, by its spec.
  static final String VARIABLE = "TOY_toy0=by CDI";

  @Override
  public ContainerEdits allocate(List<DeviceId> ids) {
    return ids.stream()
        .map(id -> ContainerEdits.ofCdi(name(id.value()).toString()))
        .reduce(ContainerEdits.NONE, ContainerEdits::and);
  }

  static CdiName name(String toy) {
    return new CdiName(KIND, toy);
  }

  /// Writes the spec into the directory where it has a name of its own.
  static Path write(Path directory) throws IOException {
    return CdiSpecFile.write(
        directory, "a.b-cdi.json", CdiSpec.of(KIND, List.of(device("toy0"), device("toy1"))));
  }

  private static CdiSpec.Device device(String toy) {
    var node = new CdiEdits.DeviceNode("/dev/" + toy, "/run/" + toy, "", -1, -1, -1, "rw", -1, -1);
    return CdiSpec.Device.of(
        toy,
        new CdiEdits(
            List.of("TOY_" + toy + "=by CDI"),
            List.of(node),
            List.of(),
            List.of(),
            List.of(),
            Map.of()));
  }

  /// Serves it until it is killed.
  ///
  /// @param args the kubelet's directory, and that of the specs
  public static void main(String[] args) throws Exception {
    write(Path.of(args[1]));
    try (var host = PluginHost.start(PluginHostConfig.of(Path.of(args[0])))) {
      Device[] devices = Stream.of("toy0", "toy1").map(Device::healthy).toArray(Device[]::new);
      host.serve(ResourceName.of(RESOURCE), new CdiPlugin(DeviceFeed.of(devices)));
      host.awaitShutdown();
    }
  }
}
