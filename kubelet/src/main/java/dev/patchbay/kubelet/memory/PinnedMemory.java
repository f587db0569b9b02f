package dev.patchbay.kubelet.memory;

import dev.patchbay.kubelet.memory.MemoryDecision.Granted;
import dev.patchbay.kubelet.memory.MemoryDecision.Refused;
import dev.patchbay.kubelet.pods.KnownContainers;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which memory and huge pages of which NUMA nodes containers have. Immutable: what changes
/// something answers with the next state.
///
/// Memory is bound for Guaranteed pods. A container's blocks lie on one group of nodes, and a node
/// is in one group at a time: used alone, or together with the same others. What an init container
/// had is used again by the containers after it, and its own block shrinks by as much, so that the
/// blocks of a pod add up to what the pod has.
public final class PinnedMemory implements HintSource {
  private final MemoryPolicy policy;
  private final MachineMemory machine;
  private final SortedMap<String, SortedMap<String, List<MemoryBlock>>> held;

  private PinnedMemory(
      MemoryPolicy policy,
      MachineMemory machine,
      SortedMap<String, SortedMap<String, List<MemoryBlock>>> held) {
    this.policy = policy;
    this.machine = machine;
    this.held = held;
  }

  /// Nobody has memory yet.
  ///
  /// @throws IllegalArgumentException when the machine does not have what is to be reserved
  public static PinnedMemory start(MemorySettings settings, NumaMachine machine) {
    return new PinnedMemory(
        settings.policy(),
        settings.policy() == MemoryPolicy.NONE
            ? new MachineMemory(Collections.emptySortedMap())
            : MachineMemory.unused(machine, settings),
        Collections.emptySortedMap());
  }

  /// The state that an earlier run left behind.
  ///
  /// @throws IOException when it does not fit this machine or the reserved memory; the text is the
  ///   kubelet's
  public PinnedMemory resume(MemoryState saved) throws IOException {
    if (policy == MemoryPolicy.NONE) return this;
    if (saved.machine().isEmpty()) {
      if (!saved.held().isEmpty())
        throw new IOException(
            "[memorymanager] machine state can not be empty when it has memory assignments");
      return this;
    }
    var found = new MachineMemory(saved.machine());
    machine.check(found, saved.held());
    return new PinnedMemory(policy, found, saved.held());
  }

  /// What the state file is to say.
  public MemoryState state() {
    return new MemoryState(policy.toString(), machine.nodes(), held);
  }

  /// The blocks that a container has, by type; none when its memory is bound to no node.
  public List<MemoryBlock> of(String podUid, String container) {
    return held(podUid).getOrDefault(container, List.of());
  }

  /// What containers can have of each node, one block for each node and type that has any; none
  /// with the policy [MemoryPolicy#NONE].
  public List<MemoryBlock> allocatable() {
    List<MemoryBlock> blocks = new ArrayList<>();
    machine
        .nodes()
        .forEach((id, node) ->
            node.tables()
                .forEach((type, table) -> {
                  if (table.allocatable() > 0)
                    blocks.add(new MemoryBlock(NumaMask.of(id), type, table.allocatable()));
                }));
    return List.copyOf(blocks);
  }

  private SortedMap<String, List<MemoryBlock>> held(String podUid) {
    return held.getOrDefault(podUid, Collections.emptySortedMap());
  }

  private boolean binds(PodSpec pod) {
    return policy == MemoryPolicy.STATIC && MemoryDemand.isBound(pod);
  }

  /// Bytes of a type that init containers of the pod have on exactly this group and that no
  /// container after them took over.
  private long reusable(PodSpec pod, NumaMask nodes, String type) {
    return pod.initContainers().stream()
        .filter(container -> !container.sidecar())
        .flatMap(container -> of(pod.uid(), container.name()).stream())
        .filter(block -> block.type().equals(type) && block.nodes().equals(nodes))
        .mapToLong(MemoryBlock::sizeBytes)
        .sum();
  }

  private List<MemoryHints.Hint> possible(PodSpec pod, SortedMap<String, Long> demand) {
    return MemoryHints.of(machine, demand, (nodes, type) -> reusable(pod, nodes, type));
  }

  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> hints(
      PodSpec pod, ContainerSpec container) {
    if (!binds(pod)) return Collections.emptySortedMap();
    SortedMap<String, Long> demand = MemoryDemand.of(container);
    List<MemoryBlock> blocks = held(pod.uid()).get(container.name());
    return blocks == null ? hinted(pod, demand) : again(blocks, demand);
  }

  /// The kubelet compares what the pod asks for as a whole with the first of its containers that
  /// has memory, so that a pod of several containers has no preference when it is admitted again.
  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> podHints(PodSpec pod) {
    if (!binds(pod)) return Collections.emptySortedMap();
    SortedMap<String, Long> demand = MemoryDemand.of(pod);
    for (ContainerSpec container : pod.allContainers()) {
      List<MemoryBlock> blocks = held(pod.uid()).get(container.name());
      if (blocks != null) return again(blocks, demand);
    }
    return hinted(pod, demand);
  }

  /// No hint at all counts as no preference here: the container is refused when it is to get its
  /// memory.
  private SortedMap<String, Optional<List<TopologyHint>>> hinted(
      PodSpec pod, SortedMap<String, Long> demand) {
    List<TopologyHint> hints =
        possible(pod, demand).stream()
            .map(hint -> new TopologyHint(Optional.of(hint.nodes()), hint.preferred()))
            .toList();
    SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
    if (!hints.isEmpty()) demand.keySet().forEach(type -> answer.put(type, Optional.of(hints)));
    return answer;
  }

  /// The nodes of the blocks that are there; no preference when they are not what is asked for.
  private static SortedMap<String, Optional<List<TopologyHint>>> again(
      List<MemoryBlock> blocks, SortedMap<String, Long> demand) {
    SortedMap<String, Long> sizes = new TreeMap<>();
    SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
    for (MemoryBlock block : blocks) {
      sizes.put(block.type(), block.sizeBytes());
      answer.put(
          block.type(), Optional.of(List.of(new TopologyHint(Optional.of(block.nodes()), true))));
    }
    return sizes.equals(demand) ? answer : Collections.emptySortedMap();
  }

  /// Gives a container its memory on the nodes of the affinity, or on more nodes when these do not
  /// have it. One that has memory already keeps it.
  ///
  /// @param affinity what the hints of all resources were merged into
  public MemoryDecision reserve(PodSpec pod, ContainerSpec container, TopologyHint affinity) {
    if (!binds(pod)) return new Granted(this, List.of());
    List<MemoryBlock> present = held(pod.uid()).get(container.name());
    if (present != null) return new Granted(this, present);
    SortedMap<String, Long> demand = MemoryDemand.of(container);
    try {
      MemoryHints.Hint start = start(pod, demand, affinity);
      NumaMask nodes =
          suffices(start.nodes(), demand) ? start.nodes() : extended(pod, demand, start);
      if (!machine.allows(nodes))
        throw new NoNodes("[memorymanager] preferred hint violates NUMA node allocation");
      return granted(pod, container, nodes, demand);
    } catch (NoNodes e) {
      return new Refused(e.text);
    }
  }

  /// The nodes of the affinity, or the best ones where it names none.
  private MemoryHints.Hint start(PodSpec pod, SortedMap<String, Long> demand, TopologyHint affinity)
      throws NoNodes {
    if (affinity.mask().isPresent())
      return new MemoryHints.Hint(affinity.mask().get(), affinity.preferred());
    MemoryHints.Hint best =
        MemoryHints.best(possible(pod, demand))
            .orElseThrow(() ->
                new NoNodes(
                    "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with"
                        + " enough memory is available"));
    if (affinity.preferred() && !best.preferred())
      throw new NoNodes("[memorymanager] failed to find the default preferred hint");
    return best;
  }

  /// The best nodes among which are those that do not suffice.
  private NumaMask extended(PodSpec pod, SortedMap<String, Long> demand, MemoryHints.Hint tooFew)
      throws NoNodes {
    MemoryHints.Hint best =
        MemoryHints.best(
                possible(pod, demand).stream()
                    .filter(hint -> hint.nodes().containsAll(tooFew.nodes()))
                    .toList())
            .orElseThrow(() ->
                new NoNodes(
                    "[memorymanager] failed to find NUMA nodes to extend the current topology"
                        + " hint"));
    if (tooFew.preferred() && !best.preferred())
      throw new NoNodes("[memorymanager] failed to find the extended preferred hint");
    return best.nodes();
  }

  /// There are no nodes for a demand, and why.
  private static final class NoNodes extends Exception {
    private static final long serialVersionUID = 1;
    private final String text;

    NoNodes(String text) {
      super(text);
      this.text = text;
    }
  }

  private boolean suffices(NumaMask nodes, SortedMap<String, Long> demand) {
    return demand.entrySet().stream()
        .allMatch(asked -> machine.free(nodes, asked.getKey()) >= asked.getValue());
  }

  private MemoryDecision granted(
      PodSpec pod, ContainerSpec container, NumaMask nodes, SortedMap<String, Long> demand) {
    MachineMemory used = machine;
    SortedMap<String, List<MemoryBlock>> ofPod = new TreeMap<>(held(pod.uid()));
    List<MemoryBlock> blocks = new ArrayList<>();
    for (var asked : demand.entrySet()) {
      String type = asked.getKey();
      long bytes = asked.getValue();
      used = used.using(nodes, type, Math.max(0, bytes - reusable(pod, nodes, type)));
      blocks.add(new MemoryBlock(nodes, type, bytes));
      takeOver(pod, container, new MemoryBlock(nodes, type, bytes), ofPod);
    }
    ofPod.put(container.name(), List.copyOf(blocks));
    SortedMap<String, SortedMap<String, List<MemoryBlock>>> next = new TreeMap<>(held);
    next.put(pod.uid(), Collections.unmodifiableSortedMap(ofPod));
    return new Granted(new PinnedMemory(policy, used, next), blocks);
  }

  /// Shrinks the blocks of the init containers before this container by what it uses of them.
  private static void takeOver(
      PodSpec pod,
      ContainerSpec container,
      MemoryBlock block,
      SortedMap<String, List<MemoryBlock>> ofPod) {
    long left = block.sizeBytes();
    for (ContainerSpec init : pod.initContainers()) {
      if (init.name().equals(container.name())) return;
      if (init.sidecar()) continue;
      List<MemoryBlock> shrunk = new ArrayList<>();
      for (MemoryBlock each : ofPod.getOrDefault(init.name(), List.of())) {
        boolean same = each.type().equals(block.type()) && each.nodes().equals(block.nodes());
        long taken = same ? Math.min(left, each.sizeBytes()) : 0;
        left -= taken;
        shrunk.add(each.withSize(each.sizeBytes() - taken));
      }
      if (!shrunk.isEmpty()) ofPod.put(init.name(), List.copyOf(shrunk));
    }
  }

  /// The state without what a pod's containers have; this one when they have nothing.
  public PinnedMemory release(String podUid) {
    PinnedMemory next = this;
    for (String container : held(podUid).keySet()) next = next.release(podUid, container);
    return next;
  }

  /// The state without what one container has.
  public PinnedMemory release(String podUid, String container) {
    List<MemoryBlock> blocks = held(podUid).get(container);
    if (blocks == null) return this;
    SortedMap<String, SortedMap<String, List<MemoryBlock>>> next = new TreeMap<>(held);
    SortedMap<String, List<MemoryBlock>> ofPod = new TreeMap<>(held(podUid));
    ofPod.remove(container);
    if (ofPod.isEmpty()) next.remove(podUid);
    else next.put(podUid, Collections.unmodifiableSortedMap(ofPod));
    List<MemoryBlock> others =
        next.values().stream()
            .flatMap(containers -> containers.values().stream())
            .flatMap(List::stream)
            .toList();
    MachineMemory released = machine;
    for (MemoryBlock block : blocks) released = released.without(block, others);
    return new PinnedMemory(policy, released, next);
  }

  /// A container of the pod was started: the init containers before it have ended for good, so what
  /// no other container took over of their memory is free again. Sidecars keep theirs.
  public PinnedMemory started(PodSpec pod, String container) {
    PinnedMemory next = this;
    for (ContainerSpec init : pod.initContainers()) {
      if (init.name().equals(container)) break;
      if (!init.sidecar()) next = next.release(pod.uid(), init.name());
    }
    return next;
  }

  /// The state without what containers have that are in none of these pods; this one when there is
  /// no such container.
  public PinnedMemory retain(Collection<PodSpec> pods) {
    var known = new KnownContainers(pods);
    PinnedMemory next = this;
    for (var pod : held.entrySet())
      for (String container : pod.getValue().keySet())
        if (!known.has(pod.getKey(), container)) next = next.release(pod.getKey(), container);
    return next;
  }
}
