package dev.patchbay.cdi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The JSON of a spec: keys in a fixed order, absent things left out, two spaces deep.
final class CdiSpecText {
  private CdiSpecText() {}

  static String of(CdiSpec spec) {
    SequencedMap<String, Object> root = new LinkedHashMap<>();
    root.put("cdiVersion", spec.version());
    root.put("kind", spec.kind().toString());
    put(root, "annotations", new TreeMap<>(spec.annotations()));
    root.put("devices", spec.devices().stream().map(CdiSpecText::device).toList());
    put(root, "containerEdits", edits(spec.edits()));
    StringBuilder text = new StringBuilder();
    write(root, "", text);
    return text.append('\n').toString();
  }

  private static Map<String, Object> device(CdiSpec.Device device) {
    SequencedMap<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", device.name());
    put(fields, "annotations", new TreeMap<>(device.annotations()));
    put(fields, "containerEdits", edits(device.edits()));
    return fields;
  }

  private static Map<String, Object> edits(CdiEdits edits) {
    SequencedMap<String, Object> fields = new LinkedHashMap<>();
    put(fields, "env", edits.env());
    put(fields, "deviceNodes", edits.deviceNodes().stream().map(CdiSpecText::deviceNode).toList());
    put(fields, "mounts", edits.mounts().stream().map(CdiSpecText::mount).toList());
    put(fields, "hooks", edits.hooks().stream().map(CdiSpecText::hook).toList());
    put(fields, "additionalGids", edits.additionalGids());
    put(fields, "intelRdt", new TreeMap<>(edits.intelRdt()));
    return fields;
  }

  private static Map<String, Object> deviceNode(CdiEdits.DeviceNode node) {
    SequencedMap<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", node.path());
    if (!node.hostPath().equals(node.path())) fields.put("hostPath", node.hostPath());
    put(fields, "type", node.type());
    put(fields, "major", node.major());
    put(fields, "minor", node.minor());
    put(fields, "fileMode", (long) node.fileMode());
    if (!node.permissions().equals("rwm")) fields.put("permissions", node.permissions());
    put(fields, "uid", node.uid());
    put(fields, "gid", node.gid());
    return fields;
  }

  private static Map<String, Object> mount(CdiEdits.Mount mount) {
    SequencedMap<String, Object> fields = new LinkedHashMap<>();
    fields.put("hostPath", mount.hostPath());
    fields.put("containerPath", mount.containerPath());
    put(fields, "options", mount.options());
    put(fields, "type", mount.type());
    return fields;
  }

  private static Map<String, Object> hook(CdiEdits.Hook hook) {
    SequencedMap<String, Object> fields = new LinkedHashMap<>();
    fields.put("hookName", hook.name());
    fields.put("path", hook.path());
    put(fields, "args", hook.args());
    put(fields, "env", hook.env());
    if (hook.timeoutSeconds() > 0) fields.put("timeout", hook.timeoutSeconds());
    return fields;
  }

  private static void put(Map<String, Object> fields, String key, Object value) {
    boolean absent =
        switch (value) {
          case Map<?, ?> map -> map.isEmpty();
          case List<?> list -> list.isEmpty();
          case String text -> text.isEmpty();
          case Long number -> number < 0;
          default -> false;
        };
    if (!absent) fields.put(key, value);
  }

  private static void write(Object value, String indent, StringBuilder text) {
    String deeper = indent + "  ";
    switch (value) {
      case Map<?, ?> map -> {
        String separator = "{\n";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          text.append(separator).append(deeper).append(quoted(entry.getKey().toString()));
          text.append(": ");
          write(entry.getValue(), deeper, text);
          separator = ",\n";
        }
        text.append(map.isEmpty() ? "{}" : "\n" + indent + "}");
      }
      case List<?> list -> {
        String separator = "[\n";
        for (Object item : list) {
          write(item, deeper, text.append(separator).append(deeper));
          separator = ",\n";
        }
        text.append(list.isEmpty() ? "[]" : "\n" + indent + "]");
      }
      case String string -> text.append(quoted(string));
      default -> text.append(value);
    }
  }

  private static String quoted(String value) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') text.append('\\').append(c);
      else if (c < ' ' || c == 0x7f) text.append("\\u").append(String.format("%04x", (int) c));
      else text.append(c);
    }
    return text.append('"').toString();
  }
}
