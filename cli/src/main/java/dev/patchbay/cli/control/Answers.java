package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.DeviceCapacity;
import dev.patchbay.kubelet.DeviceState;
import dev.patchbay.kubelet.topology.TopologyHint;
import dev.patchbay.model.ContainerEdits;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// The answers' shapes.
final class Answers {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Answers() {}

  static ObjectNode verdict(String uid, Admission admission) {
    ObjectNode answer = JSON.objectNode().put("uid", uid);
    return switch (admission) {
      case Admission.Admitted _ -> answer.put("admit", true).put("reason", "").put("message", "");
      case Admission.Refused(var reason, var message) ->
          answer.put("admit", false).put("reason", reason).put("message", message);
    };
  }

  static ObjectNode capacity(DeviceCapacity now) {
    ObjectNode answer = JSON.objectNode();
    answer.set("capacity", numbers(now.capacity()));
    answer.set("allocatable", numbers(now.allocatable()));
    ArrayNode removed = answer.putArray("removed");
    now.removed().forEach(name -> removed.add(name.toString()));
    return answer;
  }

  static ObjectNode numbers(SortedMap<?, Long> numbers) {
    ObjectNode answer = JSON.objectNode();
    numbers.forEach((name, number) -> answer.put(name.toString(), number));
    return answer;
  }

  /// What a container gets, with the members that the CRI has; null for nothing.
  static JsonNode options(Optional<ContainerEdits> edits) {
    if (edits.isEmpty()) return NullNode.getInstance();
    ObjectNode answer = JSON.objectNode();
    ArrayNode devices = answer.putArray("Devices");
    edits
        .get()
        .deviceNodes()
        .forEach(node ->
            devices
                .addObject()
                .put("PathOnHost", node.hostPath())
                .put("PathInContainer", node.containerPath())
                .put("Permissions", node.permissions()));
    ArrayNode mounts = answer.putArray("Mounts");
    edits
        .get()
        .mounts()
        .forEach(mount ->
            mounts
                .addObject()
                .put("Name", mount.containerPath())
                .put("HostPath", mount.hostPath())
                .put("ContainerPath", mount.containerPath())
                .put("ReadOnly", mount.readOnly()));
    answer.set("Envs", namedValues(edits.get().env()));
    answer.set("Annotations", namedValues(edits.get().annotations()));
    ArrayNode cdi = answer.putArray("CDIDevices");
    edits.get().cdiDevices().forEach(name -> cdi.addObject().put("Name", name));
    return answer;
  }

  private static ArrayNode namedValues(Map<String, String> values) {
    ArrayNode all = JSON.arrayNode();
    values.forEach((name, value) -> all.addObject().put("Name", name).put("Value", value));
    return all;
  }

  /// Null for a resource without a preference, an empty list for one that cannot be had.
  static ObjectNode hints(SortedMap<String, Optional<List<TopologyHint>>> hints) {
    ObjectNode answer = JSON.objectNode();
    hints.forEach((resource, list) -> {
      if (list.isEmpty()) answer.putNull(resource);
      else answer.set(resource, list(list.get()));
    });
    return answer;
  }

  private static ArrayNode list(List<TopologyHint> hints) {
    ArrayNode all = JSON.arrayNode();
    hints.forEach(hint -> all.add(hint(hint)));
    return all;
  }

  static ObjectNode hint(TopologyHint hint) {
    ObjectNode answer = JSON.objectNode();
    if (hint.mask().isEmpty()) answer.putNull("mask");
    else hint.mask().get().nodes().forEach(answer.putArray("mask")::add);
    return answer.put("preferred", hint.preferred());
  }

  /// Numbers of ids, -1 for a set that is not there.
  static ObjectNode sets(Optional<DeviceState.Counts> counts) {
    ObjectNode answer = JSON.objectNode();
    if (counts.isEmpty())
      return answer
          .put("all", -1)
          .put("healthy", -1)
          .put("unhealthy", -1)
          .put("allocated", -1)
          .put("endpoint", false)
          .put("stopped", false);
    DeviceState.Counts now = counts.get();
    return answer
        .put("all", now.all())
        .put("healthy", now.healthy())
        .put("unhealthy", now.unhealthy())
        .put("allocated", now.allocated())
        .put("endpoint", now.endpoint())
        .put("stopped", now.endpoint() && now.stopped());
  }
}
