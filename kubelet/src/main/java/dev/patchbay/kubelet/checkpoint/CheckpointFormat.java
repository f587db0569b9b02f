package dev.patchbay.kubelet.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The JSON text of a checkpoint.
public final class CheckpointFormat {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private CheckpointFormat() {}

  /// One compact line without an end-of-line, keys in the kubelet's order.
  public static String write(Checkpoint checkpoint) {
    ObjectNode root = JSON.createObjectNode();
    ObjectNode data = root.putObject("Data");
    List<Checkpoint.Entry> entries = checkpoint.entries();
    if (entries == null) data.putNull("PodDeviceEntries");
    else entries.forEach(entry -> data.withArrayProperty("PodDeviceEntries").add(entry(entry)));
    if (entries != null && entries.isEmpty()) data.putArray("PodDeviceEntries");
    putMap(data, "RegisteredDevices", checkpoint.registered());
    root.put("Checksum", Checksum.of(checkpoint));
    try {
      return JSON.writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings and numbers cannot be written", e);
    }
  }

  private static ObjectNode entry(Checkpoint.Entry entry) {
    ObjectNode node = JSON.createObjectNode();
    node.put("PodUID", entry.podUid());
    node.put("ContainerName", entry.container());
    node.put("ResourceName", entry.resource());
    SortedMap<Long, @Nullable List<String>> devices = entry.devices();
    // The keys are strings in JSON, and sorted as such.
    SortedMap<String, @Nullable List<String>> byName = null;
    if (devices != null) {
      byName = new TreeMap<>();
      for (Map.Entry<Long, @Nullable List<String>> each : devices.entrySet())
        byName.put(String.valueOf(each.getKey()), each.getValue());
    }
    putMap(node, "DeviceIDs", byName);
    node.put("AllocResp", entry.answer());
    return node;
  }

  private static void putMap(
      ObjectNode parent, String key, @Nullable SortedMap<String, @Nullable List<String>> map) {
    if (map == null) {
      parent.putNull(key);
      return;
    }
    ObjectNode node = parent.putObject(key);
    for (Map.Entry<String, @Nullable List<String>> each : map.entrySet()) {
      List<String> ids = each.getValue();
      if (ids == null) node.putNull(each.getKey());
      else ids.forEach(node.putArray(each.getKey())::add);
    }
  }

  /// Reads a file's text and checks its checksum.
  ///
  /// @throws IOException what is wrong with it
  public static Checkpoint read(String text) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException("not JSON: " + e.getOriginalMessage(), e);
    }
    JsonNode data = root.path("Data");
    if (!data.isObject()) throw new IOException("there is no object \"Data\"");
    if (!root.path("Checksum").isIntegralNumber())
      throw new IOException("there is no number \"Checksum\"");
    var checkpoint = new Checkpoint(entries(data), registered(data));
    long needed = Checksum.of(checkpoint);
    long found = root.path("Checksum").asLong();
    if (found != needed)
      throw new IOException(
          "checkpoint is corrupted: its checksum is " + found + ", of its content " + needed);
    return checkpoint;
  }

  private static @Nullable List<Checkpoint.Entry> entries(JsonNode data) throws IOException {
    JsonNode node = data.path("PodDeviceEntries");
    if (node.isNull()) return null;
    // An absent list counts as an empty one for the checksum.
    if (node.isMissingNode()) return List.of();
    if (!(node instanceof ArrayNode array))
      throw new IOException("\"PodDeviceEntries\" is not a list");
    List<Checkpoint.Entry> entries = new ArrayList<>();
    for (JsonNode each : array) {
      SortedMap<Long, @Nullable List<String>> devices = null;
      JsonNode byNode = each.path("DeviceIDs");
      if (byNode.isArray())
        throw new IOException(
            "\"DeviceIDs\" is a list, as kubelets before 1.20 wrote it; needed are lists by NUMA"
                + " node");
      if (byNode.isObject()) {
        devices = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : byNode.properties())
          devices.put(number(field.getKey()), ids(field.getValue(), "DeviceIDs"));
      }
      entries.add(
          new Checkpoint.Entry(
              text(each, "PodUID"),
              text(each, "ContainerName"),
              text(each, "ResourceName"),
              devices,
              bytes(each.path("AllocResp"))));
    }
    return entries;
  }

  private static @Nullable SortedMap<String, @Nullable List<String>> registered(JsonNode data)
      throws IOException {
    JsonNode node = data.path("RegisteredDevices");
    if (node.isNull()) return null;
    SortedMap<String, @Nullable List<String>> registered = new TreeMap<>();
    if (node.isMissingNode()) return registered;
    if (!node.isObject()) throw new IOException("\"RegisteredDevices\" is not an object");
    for (Map.Entry<String, JsonNode> field : node.properties())
      registered.put(field.getKey(), ids(field.getValue(), "RegisteredDevices"));
    return registered;
  }

  private static long number(String key) throws IOException {
    try {
      return Long.parseLong(key);
    } catch (NumberFormatException e) {
      throw new IOException("the NUMA node \"" + key + "\" is not a number", e);
    }
  }

  private static @Nullable List<String> ids(JsonNode node, String where) throws IOException {
    if (node.isNull()) return null;
    if (!node.isArray())
      throw new IOException("\"" + where + "\" holds something else than lists of ids");
    List<String> ids = new ArrayList<>();
    for (JsonNode id : node) {
      if (!id.isTextual())
        throw new IOException("\"" + where + "\" holds an id that is not a text: " + id);
      ids.add(id.asText());
    }
    return ids;
  }

  /// As Go reads a string: one that is null or absent is empty.
  private static String text(JsonNode entry, String key) throws IOException {
    JsonNode node = entry.path(key);
    if (node.isNull() || node.isMissingNode()) return "";
    if (!node.isTextual()) throw new IOException("\"" + key + "\" is not a text: " + node);
    return node.asText();
  }

  private static @Nullable String bytes(JsonNode node) throws IOException {
    if (node.isNull() || node.isMissingNode()) return null;
    try {
      return Base64.getEncoder().encodeToString(Base64.getDecoder().decode(node.asText()));
    } catch (IllegalArgumentException e) {
      throw new IOException("\"AllocResp\" is not base64: " + e.getMessage(), e);
    }
  }
}
