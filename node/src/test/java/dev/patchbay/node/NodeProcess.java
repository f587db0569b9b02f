package dev.patchbay.node;

import dev.patchbay.model.ContainerEdits;
import dev.patchbay.oci.OciRuntime;
import dev.patchbay.oci.RuntimeAvailability;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// A node in a process of its own, to be killed: `NodeProcess DIRECTORY DEVICE_NODE`.
final class NodeProcess {
  private NodeProcess() {}

  public static void main(String[] args) throws Exception {
    start(Path.of(args[0]), args[1]);
    new CountDownLatch(1).await();
  }

  /// A node with one device, which brings this device node.
  static Node start(Path directory, String deviceNode) throws Exception {
    if (!(OciRuntime.find(Optional.empty())
        instanceof RuntimeAvailability.Available(Path program, String version)))
      throw new IllegalStateException("no runtime");
    ScriptedDevices devices = new ScriptedDevices();
    devices.edits = ContainerEdits.ofNode(deviceNode, "rw");
    devices.offer("a.b/c", "x", "y");
    return Node.start(
        new Surroundings(
            NodeConfig.of(directory),
            new ManifestFolder(NodeConfig.of(directory).manifests()),
            devices,
            RuntimeContainers.of(program, directory),
            InstantSource.system(),
            Thread::sleep),
        program + ", " + version);
  }
}
