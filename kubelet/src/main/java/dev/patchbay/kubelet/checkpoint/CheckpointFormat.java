package dev.patchbay.kubelet.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
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

  /// The file of these pieces: one compact line without an end-of-line, keys in the kubelet's
  /// order.
  ///
  /// @param entries null is written as null, which is what the kubelet writes for none
  /// @param registered by the names of the resources
  public static byte[] write(
      @Nullable List<Fragment> entries, @Nullable List<Fragment> registered) {
    var file = new ByteText(size(entries) + size(registered) + 128);
    file.add("{\"Data\":{\"PodDeviceEntries\":");
    add(file, "[", entries, "]");
    file.add(",\"RegisteredDevices\":");
    add(file, "{", registered, "}");
    file.add("},\"Checksum\":").add(Long.toString(Checksum.of(entries, registered))).add("}");
    return file.bytes();
  }

  private static int size(@Nullable List<Fragment> fragments) {
    int size = 0;
    if (fragments != null) for (Fragment each : fragments) size += each.json.length + 1;
    return size;
  }

  private static void add(
      ByteText file, String opening, @Nullable List<Fragment> fragments, String closing) {
    if (fragments == null) {
      file.add("null");
      return;
    }
    file.add(opening);
    for (int i = 0; i < fragments.size(); i++) {
      if (i > 0) file.add(",");
      file.add(fragments.get(i).json);
    }
    file.add(closing);
  }

  /// The file with this content.
  public static byte[] write(Checkpoint checkpoint) {
    return write(entries(checkpoint), registered(checkpoint));
  }

  /// The text over which the checksum goes.
  static String hashed(Checkpoint checkpoint) {
    return Checksum.text(entries(checkpoint), registered(checkpoint));
  }

  private static @Nullable List<Fragment> entries(Checkpoint checkpoint) {
    List<Checkpoint.Entry> entries = checkpoint.entries();
    return entries == null ? null : entries.stream().map(Fragment::of).toList();
  }

  private static @Nullable List<Fragment> registered(Checkpoint checkpoint) {
    SortedMap<String, @Nullable List<String>> registered = checkpoint.registered();
    if (registered == null) return null;
    List<Fragment> fragments = new ArrayList<>();
    for (Map.Entry<String, @Nullable List<String>> each : registered.entrySet())
      fragments.add(Fragment.registered(each.getKey(), each.getValue()));
    return fragments;
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
    long needed = Checksum.of(entries(checkpoint), registered(checkpoint));
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
