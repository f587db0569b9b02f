package dev.patchbay.oci;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// The device part of an OCI configuration: the nodes that are made, and the rules of the device
/// cgroup, of which a later one wins.
final class DeviceRules {
  /// Nodes that the OCI specification gives to every container (`config-linux.md`, "Default
  /// Devices"), and the terminals of its own devpts.
  private static final long[][] DEFAULTS = {
    {1, 3}, {1, 5}, {1, 7}, {1, 8}, {1, 9}, {5, 0}, {5, 2}, {136, -1}
  };

  private DeviceRules() {}

  /// `linux.devices`.
  static List<Map<String, Object>> nodes(List<GrantedNode> granted) {
    List<Map<String, Object>> nodes = new ArrayList<>();
    for (GrantedNode one : granted) {
      SequencedMap<String, Object> node = new LinkedHashMap<>();
      node.put("path", one.path());
      node.put("type", one.node().type());
      if (!one.node().type().equals("p")) {
        node.put("major", one.node().major());
        node.put("minor", one.node().minor());
      }
      node.put("fileMode", one.node().mode());
      node.put("uid", one.node().uid());
      node.put("gid", one.node().gid());
      nodes.add(node);
    }
    return nodes;
  }

  /// `linux.resources.devices`: nothing, then what every container has, then what was granted.
  /// Making a node is allowed as with every runtime; opening it is not.
  static List<Map<String, Object>> cgroup(List<GrantedNode> granted) {
    List<Map<String, Object>> rules = new ArrayList<>();
    SequencedMap<String, Object> denyAll = new LinkedHashMap<>();
    denyAll.put("allow", false);
    denyAll.put("access", "rwm");
    rules.add(denyAll);
    for (long[] number : DEFAULTS) rules.add(allow("c", number[0], number[1], "rwm"));
    for (GrantedNode one : granted)
      if (!one.node().type().equals("p"))
        rules.add(
            allow(
                one.node().type().equals("b") ? "b" : "c",
                one.node().major(),
                one.node().minor(),
                one.access()));
    return rules;
  }

  private static Map<String, Object> allow(String type, long major, long minor, String access) {
    SequencedMap<String, Object> rule = new LinkedHashMap<>();
    rule.put("allow", true);
    rule.put("type", type);
    rule.put("major", major);
    if (minor >= 0) rule.put("minor", minor);
    rule.put("access", access);
    return rule;
  }
}
