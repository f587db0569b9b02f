package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// What a checkpoint file says, without what is arbitrary in it.
///
/// @param entries `pod container resource` -> NUMA node -> ids
/// @param answers the same keys -> the plugin's answer
/// @param registered resource -> healthy ids
record CheckpointView(
    SortedMap<String, SortedMap<String, SortedSet<String>>> entries,
    SortedMap<String, String> answers,
    SortedMap<String, SortedSet<String>> registered) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static final String NAME = "kubelet_internal_checkpoint";

  /// The file as it lies there; empty when there is none.
  static CheckpointView read(Path devicePluginDir) {
    try {
      return of(JSON.readTree(Files.readAllBytes(devicePluginDir.resolve(NAME))).path("Data"));
    } catch (NoSuchFileException e) {
      return new CheckpointView(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CheckpointView of(JsonNode data) throws InvalidProtocolBufferException {
    SortedMap<String, SortedMap<String, SortedSet<String>>> entries = new TreeMap<>();
    SortedMap<String, String> answers = new TreeMap<>();
    for (JsonNode entry : data.path("PodDeviceEntries")) {
      String key =
          entry.path("PodUID").asText()
              + " "
              + entry.path("ContainerName").asText()
              + " "
              + entry.path("ResourceName").asText();
      SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
      entry
          .path("DeviceIDs")
          .properties()
          .forEach(node -> nodes.put(node.getKey(), texts(node.getValue())));
      entries.put(key, nodes);
      answers.put(
          key,
          ContainerAllocateResponse.parseFrom(
                  Base64.getDecoder().decode(entry.path("AllocResp").asText()))
              .toString());
    }
    SortedMap<String, SortedSet<String>> registered = new TreeMap<>();
    data.path("RegisteredDevices")
        .properties()
        .forEach(each -> registered.put(each.getKey(), texts(each.getValue())));
    return new CheckpointView(entries, answers, registered);
  }

  private static SortedSet<String> texts(JsonNode list) {
    SortedSet<String> all = new TreeSet<>();
    list.forEach(each -> all.add(each.asText()));
    return all;
  }

  /// Without the entries of other pods.
  CheckpointView of(Set<String> podUids) {
    SortedMap<String, SortedMap<String, SortedSet<String>>> kept = new TreeMap<>(entries);
    kept.keySet().removeIf(key -> !podUids.contains(key.substring(0, key.indexOf(' '))));
    SortedMap<String, String> keptAnswers = new TreeMap<>(answers);
    keptAnswers.keySet().retainAll(kept.keySet());
    return new CheckpointView(kept, keptAnswers, registered);
  }

  /// What one pod holds: `container resource` -> ids on their nodes.
  SortedMap<String, SortedMap<String, SortedSet<String>>> heldBy(String podUid) {
    SortedMap<String, SortedMap<String, SortedSet<String>>> held = new TreeMap<>();
    entries.forEach((key, nodes) -> {
      if (key.startsWith(podUid + " ")) held.put(key.substring(podUid.length() + 1), nodes);
    });
    return held;
  }
}
