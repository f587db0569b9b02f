package dev.patchbay.kubelet.cpu;

import dev.patchbay.kubelet.cpu.CpuLayout.Level;
import dev.patchbay.kubelet.pods.KnownContainers;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.topology.HintSource;
import dev.patchbay.kubelet.topology.NumaMachine;
import dev.patchbay.kubelet.topology.NumaMask;
import dev.patchbay.kubelet.topology.TopologyHint;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which containers own which CPUs, and which CPUs are left for everyone. Immutable: what changes
/// something answers with the next state.
///
/// A container owns CPUs when its pod is Guaranteed and it asks for a whole number of them. What an
/// init container owned is used again by the containers after it; a sidecar keeps its own.
public final class ExclusiveCpus implements HintSource {
  private static final String RESOURCE = "cpu";

  private final CpuPolicy policy;
  private final CpuLayout layout;
  private final CpuSet reserved;
  private final CpuOptions options;
  private final CpuState state;

  private ExclusiveCpus(
      CpuPolicy policy, CpuLayout layout, CpuSet reserved, CpuOptions options, CpuState state) {
    this.policy = policy;
    this.layout = layout;
    this.reserved = reserved;
    this.options = options;
    this.state = state;
  }

  /// Nobody owns a CPU yet.
  ///
  /// @throws IllegalArgumentException when the machine does not have the CPUs to reserve; the text
  ///   is the kubelet's
  public static ExclusiveCpus start(CpuSettings settings, NumaMachine machine) {
    CpuLayout layout = CpuLayout.of(machine);
    if (settings.policy() == CpuPolicy.NONE)
      return new ExclusiveCpus(
          CpuPolicy.NONE,
          layout,
          CpuSet.EMPTY,
          CpuOptions.NONE,
          state(CpuPolicy.NONE, CpuSet.EMPTY, Map.of()));
    CpuSet reserved = reserved(settings, layout);
    CpuSet shared =
        settings.options().has(CpuOption.STRICT_RESERVATION)
            ? layout.all().minus(reserved)
            : layout.all();
    return new ExclusiveCpus(
        CpuPolicy.STATIC,
        layout,
        reserved,
        settings.options(),
        state(CpuPolicy.STATIC, shared, Map.of()));
  }

  private static CpuSet reserved(CpuSettings settings, CpuLayout layout) {
    if (!settings.reserved().isEmpty()) {
      if (!layout.all().containsAll(settings.reserved()))
        throw new IllegalArgumentException(
            "[cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown"
                + " CPU ID: "
                + settings.reserved().minus(layout.all()));
      return settings.reserved();
    }
    int count = settings.reservedCount();
    CpuSet chosen =
        count > layout.all().size()
            ? CpuSet.EMPTY
            : new CpuChoice(layout, settings.options()).of(layout.all(), count);
    if (chosen.size() < count)
      throw new IllegalArgumentException(
          "[cpumanager] unable to reserve the required amount of CPUs (size of "
              + CpuSet.EMPTY
              + " did not equal "
              + count
              + ")");
    return chosen;
  }

  private static CpuState state(
      CpuPolicy policy, CpuSet shared, Map<String, SortedMap<String, CpuSet>> held) {
    return new CpuState(policy.toString(), shared, new TreeMap<>(held));
  }

  private ExclusiveCpus with(CpuSet shared, SortedMap<String, SortedMap<String, CpuSet>> held) {
    return new ExclusiveCpus(policy, layout, reserved, options, state(policy, shared, held));
  }

  /// The state that an earlier run left behind.
  ///
  /// @throws IOException when it does not fit this machine or the reserved CPUs; the text is the
  ///   kubelet's
  public ExclusiveCpus resume(CpuState saved) throws IOException {
    if (policy == CpuPolicy.NONE) return this;
    if (saved.shared().isEmpty() && saved.held().isEmpty()) return this;
    // Where the reserved CPUs are not shared, containers can own all that are left.
    if (saved.shared().isEmpty() && !options.has(CpuOption.STRICT_RESERVATION))
      throw new IOException("default cpuset cannot be empty");
    CpuSet given = saved.shared().intersection(reserved);
    if (options.has(CpuOption.STRICT_RESERVATION) && !given.isEmpty())
      throw new IOException(
          "some of strictly reserved cpus: \"%s\" are present in defaultCpuSet: \"%s\""
              .formatted(given, saved.shared()));
    if (!options.has(CpuOption.STRICT_RESERVATION) && !saved.shared().containsAll(reserved))
      throw new IOException(
          "not all reserved cpus: \""
              + reserved
              + "\" are present in defaultCpuSet: \""
              + saved.shared()
              + "\"");
    CpuSet known = saved.shared();
    for (var pod : saved.held().entrySet())
      for (var container : pod.getValue().entrySet()) {
        if (!container.getValue().intersection(saved.shared()).isEmpty())
          throw new IOException(
              "pod: %s, container: %s cpuset: \"%s\" overlaps with default cpuset \"%s\""
                  .formatted(
                      pod.getKey(), container.getKey(), container.getValue(), saved.shared()));
        known = known.union(container.getValue());
      }
    CpuSet all =
        options.has(CpuOption.STRICT_RESERVATION) ? layout.all().minus(reserved) : layout.all();
    if (!known.equals(all))
      throw new IOException(
          "current set of available CPUs \""
              + all
              + "\" doesn't match with CPUs in state \""
              + known
              + "\"");
    return with(saved.shared(), saved.held());
  }

  /// What the state file is to say.
  public CpuState state() {
    return state;
  }

  /// The CPUs that a container owns; none when it shares.
  public CpuSet of(String podUid, String container) {
    return held(podUid).getOrDefault(container, CpuSet.EMPTY);
  }

  /// Whether no container ever owns CPUs, as with the policy [CpuPolicy#NONE].
  public boolean givesNone() {
    return policy == CpuPolicy.NONE;
  }

  /// The CPUs that containers may own, those that they own now included; none with the policy
  /// [CpuPolicy#NONE].
  public CpuSet allocatable() {
    return policy == CpuPolicy.NONE ? CpuSet.EMPTY : layout.all().minus(reserved);
  }

  private SortedMap<String, CpuSet> held(String podUid) {
    return state.held().getOrDefault(podUid, Collections.emptySortedMap());
  }

  private CpuSet free() {
    return state.shared().minus(reserved);
  }

  /// What init containers of the pod own and nothing after them does.
  private CpuSet reusable(PodSpec pod) {
    SortedMap<String, CpuSet> held = held(pod.uid());
    CpuSet ofInit = CpuSet.EMPTY;
    CpuSet ofOthers = CpuSet.EMPTY;
    for (ContainerSpec container : pod.allContainers()) {
      CpuSet cpus = held.getOrDefault(container.name(), CpuSet.EMPTY);
      if (pod.isRegularInit(container)) ofInit = ofInit.union(cpus);
      else ofOthers = ofOthers.union(cpus);
    }
    return ofInit.minus(ofOthers);
  }

  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> hints(
      PodSpec pod, ContainerSpec container) {
    int request = demand(CpuDemand.of(pod, container));
    if (request == 0) return Collections.emptySortedMap();
    CpuSet held = held(pod.uid()).get(container.name());
    if (held == null) return hinted(free(), reusable(pod), request);
    return held.size() == request ? hinted(held, CpuSet.EMPTY, request) : impossible();
  }

  @Override
  public SortedMap<String, Optional<List<TopologyHint>>> podHints(PodSpec pod) {
    int request = demand(CpuDemand.of(pod));
    if (request == 0) return Collections.emptySortedMap();
    CpuSet ofPod = CpuSet.EMPTY;
    for (ContainerSpec container : pod.allContainers()) {
      CpuSet held = held(pod.uid()).get(container.name());
      if (held == null) continue;
      if (held.size() != CpuDemand.of(pod, container)) return impossible();
      ofPod = ofPod.union(held);
    }
    return ofPod.size() == request
        ? hinted(ofPod, CpuSet.EMPTY, request)
        : hinted(free(), reusable(pod).union(ofPod), request);
  }

  private int demand(int asked) {
    return policy == CpuPolicy.NONE ? 0 : asked;
  }

  private SortedMap<String, Optional<List<TopologyHint>>> hinted(
      CpuSet available, CpuSet reusable, int request) {
    return answer(CpuHints.of(layout, options, available, reusable, request));
  }

  private static SortedMap<String, Optional<List<TopologyHint>>> impossible() {
    return answer(List.of());
  }

  private static SortedMap<String, Optional<List<TopologyHint>>> answer(List<TopologyHint> hints) {
    SortedMap<String, Optional<List<TopologyHint>>> answer = new TreeMap<>();
    answer.put(RESOURCE, Optional.of(hints));
    return answer;
  }

  /// Gives a container its CPUs, those on the NUMA nodes of the affinity first. One that has them
  /// already keeps them.
  ///
  /// @param affinity what the hints of all resources were merged into
  public CpuDecision reserve(PodSpec pod, ContainerSpec container, TopologyHint affinity) {
    int request = demand(CpuDemand.of(pod, container));
    if (request == 0) return new CpuDecision.Granted(this, CpuSet.EMPTY);
    Optional<String> misaligned =
        options.has(CpuOption.WHOLE_CORES) ? misaligned(request) : Optional.empty();
    if (misaligned.isPresent())
      return new CpuDecision.Refused(CpuDecision.Reason.PARTS_OF_CORES, misaligned.get());
    CpuSet held = held(pod.uid()).get(container.name());
    if (held != null) return new CpuDecision.Granted(this, held);
    CpuSet usable = free().union(reusable(pod));
    CpuSet aligned = affinity.mask().map(this::near).orElse(CpuSet.EMPTY).intersection(usable);
    var choice = new CpuChoice(layout, options);
    int first = Math.min(request, aligned.size());
    CpuSet chosen = choice.of(aligned, first);
    if (chosen.size() < first) return lost(first - chosen.size());
    int missing = request - first;
    CpuSet others = usable.minus(chosen);
    if (missing > others.size())
      return new CpuDecision.Refused(
          CpuDecision.Reason.TOO_FEW,
          "not enough cpus available to satisfy request: requested="
              + missing
              + ", available="
              + others.size());
    CpuSet rest = choice.of(others, missing);
    if (rest.size() < missing) return lost(missing - rest.size());
    CpuSet cpus = chosen.union(rest);
    return new CpuDecision.Granted(holding(pod.uid(), container.name(), cpus), cpus);
  }

  private static CpuDecision lost(int remaining) {
    return new CpuDecision.Refused(
        CpuDecision.Reason.TOO_FEW,
        "accounting error, not enough CPUs allocated, remaining: " + remaining);
  }

  /// The CPUs of these NUMA nodes, or of their sockets.
  private CpuSet near(NumaMask mask) {
    CpuSet on = layout.on(mask);
    return options.has(CpuOption.SOCKETS) ? layout.around(on, Level.SOCKET) : on;
  }

  /// Why so many CPUs cannot be whole cores. A core of which a CPU is reserved is not whole; what
  /// the container itself has already is not looked at, as in the kubelet.
  private Optional<String> misaligned(int request) {
    int perCore = layout.all().size() / Math.max(1, layout.parts(Level.CORE).size());
    if (request % perCore != 0)
      return Optional.of(
          "SMT Alignment Error: requested %d cpus not multiple cpus per core = %d"
              .formatted(request, perCore));
    int available = state.shared().minus(layout.around(reserved, Level.CORE)).size();
    return request <= available
        ? Optional.empty()
        : Optional.of(
            "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = %d, requested CPUs = %d, CPUs per core = %d"
                .formatted(available, request, perCore));
  }

  private ExclusiveCpus holding(String podUid, String container, CpuSet cpus) {
    SortedMap<String, SortedMap<String, CpuSet>> held = new TreeMap<>(state.held());
    SortedMap<String, CpuSet> ofPod = new TreeMap<>(held(podUid));
    ofPod.put(container, cpus);
    held.put(podUid, ofPod);
    return with(state.shared().minus(cpus), held);
  }

  /// The state without what a pod's containers own; this one when they own nothing.
  public ExclusiveCpus release(String podUid) {
    if (!state.held().containsKey(podUid)) return this;
    SortedMap<String, SortedMap<String, CpuSet>> held = new TreeMap<>(state.held());
    held.remove(podUid);
    CpuSet shared = state.shared();
    for (CpuSet cpus : held(podUid).values()) shared = shared.union(cpus);
    return with(shared, held);
  }

  /// The state without what one container owns; CPUs that it has in common with another of its pod
  /// stay with that one.
  public ExclusiveCpus release(String podUid, String container) {
    CpuSet released = held(podUid).get(container);
    if (released == null) return this;
    SortedMap<String, CpuSet> ofPod = new TreeMap<>(held(podUid));
    ofPod.remove(container);
    for (CpuSet kept : ofPod.values()) released = released.minus(kept);
    SortedMap<String, SortedMap<String, CpuSet>> held = new TreeMap<>(state.held());
    if (ofPod.isEmpty()) held.remove(podUid);
    else held.put(podUid, ofPod);
    return with(state.shared().union(released), held);
  }

  /// The state without what containers own that are in none of these pods; this one when there is
  /// no such container.
  public ExclusiveCpus retain(Collection<PodSpec> pods) {
    var known = new KnownContainers(pods);
    ExclusiveCpus next = this;
    for (var pod : state.held().entrySet())
      for (String container : pod.getValue().keySet())
        if (!known.has(pod.getKey(), container)) next = next.release(pod.getKey(), container);
    return next;
  }
}
