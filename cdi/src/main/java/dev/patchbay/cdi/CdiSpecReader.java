package dev.patchbay.cdi;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// Turns the text of a spec file into a [CdiSpec], or says all that is wrong with it.
final class CdiSpecReader {
  private final SpecNodes nodes = new SpecNodes();
  private SpecVersion version = SpecVersion.V1_0_0;

  CdiSpec read(String text) throws InvalidCdiSpecException {
    Node root = compose(text);
    CdiSpec spec = spec(root);
    if (!nodes.problems().isEmpty()) throw new InvalidCdiSpecException(nodes.problems());
    return spec;
  }

  private static Node compose(String text) throws InvalidCdiSpecException {
    try {
      Optional<Node> root =
          new Compose(LoadSettings.builder().setSchema(new CoreSchema()).build())
              .composeString(text);
      return root.orElseThrow(() -> new InvalidCdiSpecException(List.of("the file is empty")));
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
      throw new InvalidCdiSpecException(
          List.of("line " + line + ": is neither YAML nor JSON: " + e.getProblem()));
    } catch (YamlEngineException e) {
      throw new InvalidCdiSpecException(List.of("is neither YAML nor JSON: " + e.getMessage()));
    }
  }

  private CdiSpec spec(Node root) {
    Map<String, Node> fields =
        nodes.fields(
            root, "", known("cdiVersion", "kind", "annotations", "devices", "containerEdits"));
    String versionText = version(root, fields);
    String kind = nodes.text(fields.get("kind"), "kind");
    CdiKind.problemOf(kind).ifPresent(why -> nodes.problem(root, "kind", why));
    if (kind.substring(kind.indexOf('/') + 1).contains("."))
      needs(SpecVersion.V0_6_0, root, "kind", "a class with a dot");
    List<CdiSpec.Device> devices = nodes.list(fields.get("devices"), "devices", this::device);
    if (devices.isEmpty()) nodes.problem(root, "devices", "is empty; needed is a device");
    refuseTwins(root, devices);
    return new CdiSpec(
        versionText,
        CdiKind.problemOf(kind).isPresent() ? new CdiKind("invalid", "invalid") : CdiKind.of(kind),
        annotations(fields.get("annotations"), "annotations"),
        devices,
        edits(fields.get("containerEdits"), "containerEdits"));
  }

  private String version(Node root, Map<String, Node> fields) {
    String text = nodes.text(fields.get("cdiVersion"), "cdiVersion").replaceFirst("^v", "");
    Optional<SpecVersion> found = SpecVersion.of(text);
    if (found.isPresent()) version = found.get();
    else
      nodes.problem(
          root,
          "cdiVersion",
          "is \"" + text + "\"; known are " + String.join(", ", SpecVersion.known()));
    return text;
  }

  private void refuseTwins(Node root, List<CdiSpec.Device> devices) {
    Set<String> names = new HashSet<>();
    for (CdiSpec.Device device : devices)
      if (!names.add(device.name()))
        nodes.problem(root, "devices", "has the device \"" + device.name() + "\" twice");
  }

  private CdiSpec.Device device(Node node, String at) {
    Map<String, Node> fields =
        nodes.fields(node, at, known("name", "annotations", "containerEdits"));
    String name = nodes.text(fields.get("name"), at + ".name");
    CdiName.problemOfDevice(name).ifPresent(why -> nodes.problem(node, at + ".name", why));
    if (!name.isEmpty() && Character.isDigit(name.charAt(0)))
      needs(SpecVersion.V0_5_0, node, at + ".name", "a name that begins with a digit");
    CdiEdits edits = edits(fields.get("containerEdits"), at + ".containerEdits");
    if (edits.isEmpty()) nodes.problem(node, at + ".containerEdits", "is empty");
    return new CdiSpec.Device(
        name, annotations(fields.get("annotations"), at + ".annotations"), edits);
  }

  private Map<String, String> annotations(@Nullable Node node, String at) {
    if (node != null) needs(SpecVersion.V0_6_0, node, at, "annotations");
    return nodes.textMap(node, at);
  }

  private CdiEdits edits(@Nullable Node node, String at) {
    if (node == null) return CdiEdits.NONE;
    Map<String, Node> fields =
        nodes.fields(
            node, at, known("env", "deviceNodes", "mounts", "hooks", "additionalGids", "intelRdt"));
    if (fields.get("additionalGids") != null) needs(SpecVersion.V0_7_0, node, at, "additionalGids");
    List<String> env = nodes.texts(fields.get("env"), at + ".env");
    checkVariables(node, at + ".env", env);
    List<Integer> gids =
        nodes.list(
            fields.get("additionalGids"),
            at + ".additionalGids",
            (item, where) -> (int) nodes.number(item, where, Integer.MAX_VALUE));
    return new CdiEdits(
        env,
        nodes.list(fields.get("deviceNodes"), at + ".deviceNodes", this::deviceNode),
        nodes.list(fields.get("mounts"), at + ".mounts", this::mount),
        nodes.list(fields.get("hooks"), at + ".hooks", this::hook),
        gids,
        intelRdt(fields.get("intelRdt"), at + ".intelRdt"));
  }

  private CdiEdits.DeviceNode deviceNode(Node node, String at) {
    Map<String, Node> fields =
        nodes.fields(
            node,
            at,
            known(
                "path",
                "hostPath",
                "type",
                "major",
                "minor",
                "fileMode",
                "permissions",
                "uid",
                "gid"));
    String path = path(node, at + ".path", fields.get("path"));
    String hostPath = nodes.text(fields.get("hostPath"), at + ".hostPath");
    if (!hostPath.isEmpty()) needs(SpecVersion.V0_5_0, node, at, "hostPath");
    String type = nodes.text(fields.get("type"), at + ".type");
    if (!type.matches("[bcup]?"))
      nodes.problem(node, at + ".type", "is \"" + type + "\"; needed is b, c, u or p");
    String permissions = nodes.text(fields.get("permissions"), at + ".permissions");
    if (!permissions.matches("[rwm]{0,3}"))
      nodes.problem(
          node, at + ".permissions", "is \"" + permissions + "\"; needed are some of r, w, m");
    return new CdiEdits.DeviceNode(
        path,
        hostPath.isEmpty() ? path : hostPath,
        type,
        nodes.number(fields.get("major"), at + ".major", Integer.MAX_VALUE),
        nodes.number(fields.get("minor"), at + ".minor", Integer.MAX_VALUE),
        (int) nodes.number(fields.get("fileMode"), at + ".fileMode", 07777),
        permissions.isEmpty() ? "rwm" : permissions,
        nodes.number(fields.get("uid"), at + ".uid", 0xffffffffL),
        nodes.number(fields.get("gid"), at + ".gid", 0xffffffffL));
  }

  private CdiEdits.Mount mount(Node node, String at) {
    Map<String, Node> fields =
        nodes.fields(node, at, known("hostPath", "containerPath", "options", "type"));
    String type = nodes.text(fields.get("type"), at + ".type");
    if (!type.isEmpty()) needs(SpecVersion.V0_4_0, node, at, "the type of a mount");
    String hostPath = nodes.text(fields.get("hostPath"), at + ".hostPath");
    if (hostPath.isEmpty()) nodes.problem(node, at + ".hostPath", "is missing");
    return new CdiEdits.Mount(
        hostPath,
        path(node, at + ".containerPath", fields.get("containerPath")),
        nodes.texts(fields.get("options"), at + ".options"),
        type);
  }

  private CdiEdits.Hook hook(Node node, String at) {
    Map<String, Node> fields =
        nodes.fields(node, at, known("hookName", "path", "args", "env", "timeout"));
    String name = nodes.text(fields.get("hookName"), at + ".hookName");
    if (!CdiEdits.Hook.NAMES.contains(name))
      nodes.problem(
          node,
          at + ".hookName",
          "is \"" + name + "\"; there are " + String.join(", ", CdiEdits.Hook.NAMES));
    List<String> env = nodes.texts(fields.get("env"), at + ".env");
    checkVariables(node, at + ".env", env);
    return new CdiEdits.Hook(
        name,
        path(node, at + ".path", fields.get("path")),
        nodes.texts(fields.get("args"), at + ".args"),
        env,
        (int) Math.max(0, nodes.number(fields.get("timeout"), at + ".timeout", Integer.MAX_VALUE)));
  }

  private Map<String, Object> intelRdt(@Nullable Node node, String at) {
    if (node == null) return Map.of();
    needs(SpecVersion.V0_7_0, node, at, "intelRdt");
    Map<String, Object> settings = new TreeMap<>();
    nodes
        .fields(node, at, known("closID", "l3CacheSchema", "memBwSchema", "enableCMT", "enableMBM"))
        .forEach((key, value) -> {
          Object setting =
              key.startsWith("enable")
                  ? nodes.flag(value, at + "." + key)
                  : nodes.text(value, at + "." + key);
          if (setting != null) settings.put(key, setting);
        });
    return settings;
  }

  private String path(Node owner, String at, @Nullable Node node) {
    String path = nodes.text(node, at);
    if (path.isEmpty()) nodes.problem(owner, at, "is missing");
    else if (!path.startsWith("/"))
      nodes.problem(owner, at, "\"" + path + "\" is relative; needed is an absolute path");
    return path;
  }

  private void checkVariables(Node node, String at, List<String> env) {
    for (String variable : env)
      if (variable.indexOf('=') < 1)
        nodes.problem(node, at, "has \"" + variable + "\"; needed is NAME=value");
  }

  private void needs(SpecVersion since, Node node, String at, String what) {
    if (version.compareTo(since) < 0)
      nodes.problem(node, at, what + " needs cdiVersion " + since + ", the spec has " + version);
  }

  private static Set<String> known(String... fields) {
    return new TreeSet<>(List.of(fields));
  }
}
