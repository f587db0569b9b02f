package dev.patchbay.kubelet.memory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.checkpoint.GoChecksum;
import dev.patchbay.kubelet.checkpoint.StateFormat;
import dev.patchbay.kubelet.topology.NumaMask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The JSON text of the state file (`MemoryManagerCheckpointV1`).
final class MemoryStateFormat implements StateFormat<MemoryState> {
  @Override
  public String policy(MemoryState state) {
    return state.policy();
  }

  @Override
  public void put(MemoryState state, ObjectNode root) {
    root.put("policyName", state.policy());
    ObjectNode machine = root.putObject("machineState");
    // The keys are strings in JSON, and sorted as such.
    SortedMap<String, NodeMemory> byName = new TreeMap<>();
    state.machine().forEach((id, node) -> byName.put(String.valueOf(id), node));
    byName.forEach((id, node) -> put(node, machine.putObject(id)));
    if (state.held().isEmpty()) return;
    ObjectNode pods = root.putObject("entries");
    state
        .held()
        .forEach((pod, containers) -> {
          ObjectNode node = pods.putObject(pod);
          containers.forEach((name, blocks) -> blocks(node.putArray(name), blocks));
        });
  }

  @Override
  public MemoryState state(JsonNode root) throws IOException {
    try {
      return new MemoryState(
          root.path("policyName").asText(""),
          machine(root.path("machineState")),
          held(root.path("entries")));
    } catch (IllegalArgumentException e) {
      throw new IOException("a number in it is not one of a NUMA node: " + e.getMessage(), e);
    }
  }

  @Override
  public String printed(MemoryState state) {
    return printed("", state);
  }

  @Override
  public String printedAsVersioned(MemoryState state) {
    return printed("V1", state);
  }

  private static void put(NodeMemory memory, ObjectNode node) {
    node.put("numberOfAssignments", memory.assignments());
    ObjectNode tables = node.putObject("memoryMap");
    memory
        .tables()
        .forEach((type, table) ->
            tables
                .putObject(type)
                .put("total", table.total())
                .put("systemReserved", table.systemReserved())
                .put("allocatable", table.allocatable())
                .put("reserved", table.reserved())
                .put("free", table.free()));
    memory.group().nodes().forEach(node.putArray("cells")::add);
  }

  private static void blocks(ArrayNode array, List<MemoryBlock> blocks) {
    for (MemoryBlock block : blocks) {
      ObjectNode node = array.addObject();
      block.nodes().nodes().forEach(node.putArray("numaAffinity")::add);
      node.put("type", block.type());
      node.put("size", block.sizeBytes());
    }
  }

  private static SortedMap<Integer, NodeMemory> machine(JsonNode nodes) {
    SortedMap<Integer, NodeMemory> machine = new TreeMap<>();
    for (Map.Entry<String, JsonNode> node : nodes.properties()) {
      SortedMap<String, MemoryTable> tables = new TreeMap<>();
      for (Map.Entry<String, JsonNode> table : node.getValue().path("memoryMap").properties())
        tables.put(table.getKey(), table(table.getValue()));
      machine.put(
          Integer.valueOf(node.getKey()),
          new NodeMemory(
              node.getValue().path("numberOfAssignments").asInt(),
              tables,
              mask(node.getValue().path("cells"))));
    }
    return machine;
  }

  private static MemoryTable table(JsonNode table) {
    return new MemoryTable(
        table.path("total").asLong(),
        table.path("systemReserved").asLong(),
        table.path("allocatable").asLong(),
        table.path("reserved").asLong(),
        table.path("free").asLong());
  }

  private static SortedMap<String, SortedMap<String, List<MemoryBlock>>> held(JsonNode entries) {
    SortedMap<String, SortedMap<String, List<MemoryBlock>>> held = new TreeMap<>();
    for (Map.Entry<String, JsonNode> pod : entries.properties()) {
      SortedMap<String, List<MemoryBlock>> containers = new TreeMap<>();
      for (Map.Entry<String, JsonNode> container : pod.getValue().properties()) {
        List<MemoryBlock> blocks = new ArrayList<>();
        for (JsonNode block : container.getValue())
          blocks.add(
              new MemoryBlock(
                  mask(block.path("numaAffinity")),
                  block.path("type").asText(""),
                  block.path("size").asLong()));
        containers.put(container.getKey(), List.copyOf(blocks));
      }
      held.put(pod.getKey(), containers);
    }
    return held;
  }

  private static NumaMask mask(JsonNode ids) {
    List<Integer> nodes = new ArrayList<>();
    for (JsonNode id : ids) nodes.add(id.asInt());
    return NumaMask.of(nodes);
  }

  private static String printed(String version, MemoryState state) {
    return "(*state.MemoryManagerCheckpoint"
        + version
        + "){PolicyName:(string)"
        + state.policy()
        + " MachineState:(state.NUMANodeMap)"
        + GoChecksum.map(state.machine(), MemoryStateFormat::printed)
        + " Entries:(state.ContainerMemoryAssignments)"
        + GoChecksum.map(
            state.held(), containers -> GoChecksum.map(containers, MemoryStateFormat::printed))
        + " Checksum:(checksum.Checksum)0}";
  }

  private static String printed(NodeMemory node) {
    return "<*>{NumberOfAssignments:(int)"
        + node.assignments()
        + " MemoryMap:(map[v1.ResourceName]*state.MemoryTable)"
        + GoChecksum.map(node.tables(), MemoryStateFormat::printed)
        + " Cells:([]int)"
        + printed(node.group())
        + "}";
  }

  private static String printed(MemoryTable table) {
    return "<*>{TotalMemSize:(uint64)"
        + table.total()
        + " SystemReserved:(uint64)"
        + table.systemReserved()
        + " Allocatable:(uint64)"
        + table.allocatable()
        + " Reserved:(uint64)"
        + table.reserved()
        + " Free:(uint64)"
        + table.free()
        + "}";
  }

  private static String printed(List<MemoryBlock> blocks) {
    return blocks.stream()
        .map(block ->
            "{NUMAAffinity:([]int)"
                + printed(block.nodes())
                + " Type:(v1.ResourceName)"
                + block.type()
                + " Size:(uint64)"
                + block.sizeBytes()
                + "}")
        .collect(Collectors.joining(" ", "[", "]"));
  }

  private static String printed(NumaMask mask) {
    return mask.nodes().stream().map(String::valueOf).collect(Collectors.joining(" ", "[", "]"));
  }
}
