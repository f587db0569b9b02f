package dev.patchbay.oci;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A node that the container gets, with all that the OCI configuration says about it.
///
/// @param path in the container
/// @param access some of `r`, `w`, `m` for the device cgroup
record GrantedNode(String path, HostNode node, String access) {
  /// All nodes of both kinds of edits; of one path the later stands.
  static List<GrantedNode> of(ContainerEdits edits, CdiEdits cdi) throws IOException {
    List<GrantedNode> granted = new ArrayList<>();
    for (ContainerEdits.DeviceNode node : edits.deviceNodes()) granted.addAll(of(node));
    for (CdiEdits.DeviceNode node : cdi.deviceNodes()) {
      granted.removeIf(older -> older.path.equals(node.path()));
      granted.add(of(node));
    }
    return granted;
  }

  private static List<GrantedNode> of(ContainerEdits.DeviceNode asked) throws IOException {
    Path hostPath = Path.of(asked.hostPath());
    List<GrantedNode> granted = new ArrayList<>();
    for (HostNode node : HostNode.readAll(hostPath)) {
      Path path = Path.of(asked.containerPath()).resolve(hostPath.relativize(node.path()));
      granted.add(new GrantedNode(path.toString(), node, asked.permissions()));
    }
    return granted;
  }

  /// What the spec file leaves open is read from the host's node.
  private static GrantedNode of(CdiEdits.DeviceNode asked) throws IOException {
    boolean complete =
        !asked.type().isEmpty()
            && (asked.type().equals("p") || (asked.major() >= 0 && asked.minor() >= 0));
    HostNode host =
        complete
            ? new HostNode(Path.of(asked.hostPath()), asked.type(), 0, 0, 0666, 0, 0)
            : HostNode.read(Path.of(asked.hostPath()));
    if (!asked.type().isEmpty() && !type(asked).equals(type(host)))
      throw new IOException(
          "CDI node "
              + asked.path()
              + " is to be of type "
              + asked.type()
              + ", "
              + asked.hostPath()
              + " is of type "
              + host.type());
    HostNode node =
        new HostNode(
            host.path(),
            host.type(),
            asked.major() >= 0 ? asked.major() : host.major(),
            asked.minor() >= 0 ? asked.minor() : host.minor(),
            asked.fileMode() >= 0 ? asked.fileMode() : host.mode(),
            asked.uid() >= 0 ? asked.uid() : host.uid(),
            asked.gid() >= 0 ? asked.gid() : host.gid());
    return new GrantedNode(asked.path(), node, asked.permissions());
  }

  /// `u`, an unbuffered character device, is `c` to the kernel.
  private static String type(CdiEdits.DeviceNode node) {
    return node.type().equals("u") ? "c" : node.type();
  }

  private static String type(HostNode node) {
    return node.type().equals("u") ? "c" : node.type();
  }
}
