package dev.patchbay.interop.differential;

import dev.patchbay.interop.differential.Machine.Numa;
import dev.patchbay.interop.differential.PodPlan.Kind;
import dev.patchbay.interop.differential.PodPlan.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Makes a scenario of a seed: the same seed, the same scenario.
///
/// It keeps a rough idea of what is up and which pods are there, so that most steps have a subject.
final class Generator {
  private static final List<String> RESOURCES = List.of("a.b/x", "a.b/y", "c.d/z");

  /// What the merge of upstream costs is 2^(nodes * lists); more takes it seconds.
  private static final int MOST_BITS = 15;

  private static final long GIB = 1L << 30;

  /// Options of the CPU policy that a gate has to allow.
  private static final Set<String> ALPHA =
      Set.of("align-by-socket", "distribute-cpus-across-cores");

  private final Random random;
  private final Machine machine;
  private final Settings settings;
  private final List<String> resources;
  private final boolean prefers;

  /// Whether some plugins wait to be found: the kubelet looks for them once a second.
  private final boolean watches;

  private final SortedMap<String, List<PlannedDevice>> listed = new TreeMap<>();
  private final TreeSet<String> up = new TreeSet<>();
  private final List<String> pods = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private int newestPod;
  private boolean pending;

  private Generator(long seed) {
    random = new Random(seed);
    machine = machine();
    settings = settings();
    int perContainer = 1 + random.nextInt(3);
    int lists = settings.exclusiveCpus() ? 1 : 0;
    if (settings.pinsMemory()) lists += machine.hasHugePages() ? 2 : 1;
    while (perContainer > 1
        && settings.aligns()
        && machine.nodes().size() * (perContainer + lists) > MOST_BITS) perContainer--;
    resources = RESOURCES.subList(0, perContainer);
    prefers = chance(80);
    watches = chance(10);
  }

  /// @param length how many steps, about
  static Scenario scenario(long seed, int length) {
    return new Generator(seed).make(length);
  }

  private Scenario make(int length) {
    for (String resource : resources) plugIn(resource);
    while (steps.size() < length) next();
    return new Scenario(machine, settings, List.copyOf(steps));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  // --- machine and settings

  private Machine machine() {
    int count = any(List.of(1, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8));
    int sockets = 1 + random.nextInt(Math.max(1, count / 2));
    int threads = chance(40) ? 2 : 1;
    List<Integer> ids = ids(count);
    List<List<Integer>> distances = distances(count);
    int hugePages = chance(15) ? 1 + random.nextInt(256) : 0;
    int caches = 1 + random.nextInt(Machine.MOST_CACHES);
    boolean even = chance(60);
    int coresOfAll = 1 + random.nextInt(4);
    while (even && count % sockets != 0) sockets--;
    List<Numa> nodes = new ArrayList<>();
    int cpu = 0;
    for (int at = 0; at < count; at++) {
      List<List<Integer>> cores = new ArrayList<>();
      int amount = even ? coresOfAll : 1 + random.nextInt(4);
      for (int core = 0; core < amount; core++) {
        List<Integer> core1 = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) core1.add(cpu++);
        cores.add(core1);
      }
      nodes.add(
          new Numa(
              ids.get(at),
              (1 + random.nextInt(8)) * GIB,
              chance(80) ? hugePages : 0,
              distances.get(at),
              at * sockets / count,
              cores,
              caches));
    }
    return new Machine(nodes);
  }

  /// Of the NUMA nodes; some machines have gaps.
  private List<Integer> ids(int count) {
    int next = 0;
    boolean gaps = chance(25);
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (gaps && chance(40)) next += 1 + random.nextInt(3);
      ids.add(next++);
    }
    return ids;
  }

  private List<List<Integer>> distances(int count) {
    boolean odd = chance(60);
    int[][] all = new int[count][count];
    for (int from = 0; from < count; from++)
      for (int to = 0; to < from; to++) {
        all[from][to] = odd ? 11 + random.nextInt(30) : 20;
        all[to][from] = odd && chance(20) ? 11 + random.nextInt(30) : all[from][to];
      }
    List<List<Integer>> rows = new ArrayList<>();
    for (int from = 0; from < count; from++) {
      all[from][from] = 10;
      rows.add(java.util.Arrays.stream(all[from]).boxed().toList());
    }
    return rows;
  }

  private Settings settings() {
    String policy = any(List.of("none", "best-effort", "restricted", "single-numa-node"));
    SortedMap<String, String> options = new TreeMap<>();
    if (!policy.equals("none")) {
      // Upstream looks distances up by id.
      if (chance(40) && !machine.hasGaps())
        options.put("prefer-closest-numa-nodes", Boolean.toString(chance(80)));
      if (chance(10)) options.put("max-allowable-numa-nodes", "8");
    }
    boolean isStatic =
        chance(50) && machine.hasEvenSockets() && machine.cpus() > 2 && machine.nodes().size() < 7;
    SortedMap<Integer, Long> reserved = new TreeMap<>();
    if (chance(30) && machine.nodes().size() < (isStatic ? 5 : 7)) {
      reserved.put(any(machine.ids()), GIB / 8);
      if (chance(30)) reserved.put(any(machine.ids()), GIB / 2);
    }
    SortedMap<String, Boolean> gates = new TreeMap<>();
    if (chance(10)) gates.put("ResourceHealthStatus", true);
    if (chance(5)) gates.put("KubeletPodResourcesListUseActivePods", false);
    if (chance(5)) gates.put("TopologyManagerPolicyBetaOptions", false);
    SortedMap<String, String> ofCpus = new TreeMap<>();
    if (isStatic && chance(50)) ofCpus = cpuOptions(policy);
    if (ofCpus.keySet().stream().anyMatch(ALPHA::contains))
      gates.put("CPUManagerPolicyAlphaOptions", true);
    return new Settings(
        policy,
        chance(70) ? "container" : "pod",
        options,
        isStatic ? "static" : "none",
        ofCpus,
        isStatic ? "0" : "",
        reserved,
        chance(10) ? 1 + random.nextInt(4) : Settings.USUAL_PODS,
        gates);
  }

  /// Some that go together. Whole cores that are spread over NUMA nodes are tried by upstream for
  /// ever where one thread of a core is free.
  private SortedMap<String, String> cpuOptions(String policy) {
    SortedMap<String, String> all = new TreeMap<>();
    String main =
        any(
            List.of(
                "full-pcpus-only",
                "distribute-cpus-across-numa",
                "distribute-cpus-across-cores",
                "prefer-align-cpus-by-uncorecache"));
    if (chance(80)) all.put(main, "true");
    if (main.startsWith("prefer-") && chance(30)) all.put("full-pcpus-only", "true");
    if (!policy.equals("single-numa-node") && chance(30)) all.put("align-by-socket", "true");
    if (chance(30)) all.put("strict-cpu-reservation", "true");
    return all;
  }

  // --- steps

  private void next() {
    int what = random.nextInt(100);
    if (what < 34) admit();
    else if (what < 48) changeList();
    else if (what < 53) remove();
    else if (what < 58) end();
    else if (what < 66) startContainers();
    else if (what < 70) steps.add(new Step.CollectGarbage());
    else if (what < 74) steps.add(new Step.AskPodResources());
    else if (what < 78) unplug();
    else if (what < 84) plugIn(any(resources));
    else if (what < 86) refuse();
    else if (what < 87) steps.add(new Step.GracePeriodEnds(any(resources)));
    else if (what < 88) over();
    else if (what < 93) restart();
    else if (what < 96) again();
    else ready();
  }

  private void plugIn(String resource) {
    List<PlannedDevice> devices =
        listed.containsKey(resource) && chance(70) ? changed(resource) : devices();
    boolean watched = watches && chance(40);
    steps.add(new Step.PluginUp(resource, prefers, chance(25), watched, devices));
    listed.put(resource, devices);
    up.add(resource);
  }

  private void over() {
    String resource = any(resources);
    if (!up.contains(resource)) return;
    List<PlannedDevice> devices = chance(70) ? changed(resource) : devices();
    steps.add(new Step.PluginOver(resource, prefers, devices));
    listed.put(resource, devices);
  }

  private void unplug() {
    String resource = any(resources);
    steps.add(new Step.PluginDown(resource));
    up.remove(resource);
  }

  private void changeList() {
    String resource = any(resources);
    if (!up.contains(resource)) return;
    List<PlannedDevice> devices = changed(resource);
    steps.add(new Step.PluginList(resource, devices));
    listed.put(resource, devices);
  }

  private List<PlannedDevice> changed(String resource) {
    List<PlannedDevice> devices = new ArrayList<>(listed.get(resource));
    int changes = random.nextInt(3);
    for (int i = 0; i < changes && !devices.isEmpty(); i++) {
      int at = random.nextInt(devices.size());
      PlannedDevice device = devices.get(at);
      switch (random.nextInt(4)) {
        case 0 -> devices.remove(at);
        case 1 -> devices.add(device(freeId(devices), random.nextInt(4)));
        default -> devices.set(at, device.withHealth(!device.healthy()));
      }
    }
    return List.copyOf(devices);
  }

  private static String freeId(List<PlannedDevice> devices) {
    for (int i = 0; ; i++) {
      String id = "d" + i;
      if (devices.stream().noneMatch(device -> device.id().equals(id))) return id;
    }
  }

  /// The style of a resource decides on how many nodes its devices lie.
  private List<PlannedDevice> devices() {
    int style = random.nextInt(6);
    int count = any(List.of(0, 1, 2, 4, 4, 6, 8, 8, 12, 16));
    List<PlannedDevice> all = new ArrayList<>();
    for (int i = 0; i < count; i++) all.add(device("d" + i, style));
    return List.copyOf(all);
  }

  private PlannedDevice device(String id, int style) {
    List<Integer> nodes = machine.ids();
    List<Integer> on =
        switch (style) {
          case 0 -> List.of();
          case 1 -> chance(80) ? List.of(any(nodes)) : List.of();
          case 2 -> List.of(any(nodes.subList(0, 1 + nodes.size() / 2)));
          case 3 ->
              chance(prefers ? 30 : 0)
                  ? new ArrayList<>(new TreeSet<>(Arrays.asList(any(nodes), any(nodes))))
                  : List.of(any(nodes));
          case 4 -> List.of(chance(15) ? nodes.getLast() + 1 + random.nextInt(3) : any(nodes));
          default -> List.of(any(nodes));
        };
    return new PlannedDevice(id, chance(88), on);
  }

  private void refuse() {
    String resource = any(resources);
    boolean preference = prefers && chance(30);
    for (boolean fails : List.of(true, false)) {
      steps.add(
          preference
              ? new Step.PluginPrefersNothing(resource, fails)
              : new Step.PluginRefuses(resource, fails));
      if (fails) admit();
    }
  }

  private void admit() {
    PodPlan pod = pod("p" + newestPod++);
    steps.add(new Step.Admit(pod, chance(50)));
    pods.add(pod.name());
  }

  private PodPlan pod(String name) {
    boolean guaranteed = settings.hasState() && chance(60);
    List<Part> parts = new ArrayList<>();
    // Where the choice is arbitrary a second container would depend on what the first one got.
    int inits = prefers && chance(30) ? 1 + random.nextInt(2) : 0;
    for (int i = 0; i < inits; i++)
      parts.add(part("i" + i, chance(60) ? Kind.INIT : Kind.SIDECAR, guaranteed));
    int apps = prefers && chance(35) ? 2 : 1;
    for (int i = 0; i < apps; i++) parts.add(part("c" + i, Kind.APP, guaranteed));
    return new PodPlan(name, parts);
  }

  private Part part(String name, Kind kind, boolean guaranteed) {
    SortedMap<String, Integer> devices = new TreeMap<>();
    for (String resource : resources)
      if (chance(resources.size() == 1 ? 92 : 60))
        devices.put(resource, any(List.of(1, 1, 1, 2, 2, 3, 4, chance(10) ? 0 : 5)));
    if (chance(2)) devices.put("no.body/knows", 1);
    int milliCpu = guaranteed ? 1000 * (1 + random.nextInt(3)) : chance(15) ? 250 : 0;
    if (guaranteed && chance(10)) milliCpu += 500;
    long memory = guaranteed ? GIB / 8 : 0;
    if (guaranteed && settings.pinsMemory() && chance(60))
      memory = any(List.of(GIB / 2, GIB, 2 * GIB, 3 * GIB, 6 * GIB));
    // A request that no node has pages for crashes upstream.
    boolean hugePages = guaranteed && machine.hasHugePages() && chance(40);
    return new Part(
        name,
        kind,
        devices,
        milliCpu,
        memory,
        hugePages ? any(List.of(2L, 16L, 128L, 300L)) << 20 : 0,
        guaranteed);
  }

  private void remove() {
    if (!pods.isEmpty()) steps.add(new Step.Remove(pods.remove(random.nextInt(pods.size()))));
  }

  private void end() {
    if (!pods.isEmpty()) steps.add(new Step.End(any(pods), chance(50) ? "Succeeded" : "Failed"));
  }

  private void startContainers() {
    if (!pods.isEmpty()) steps.add(new Step.StartContainers(any(pods)));
  }

  private void again() {
    if (!pods.isEmpty()) steps.add(new Step.AdmitAgain(any(pods)));
  }

  private void ready() {
    if (pending) steps.add(new Step.SourcesReady());
    pending = false;
  }

  /// Plugins and pods come back in any order, some not at all.
  private void restart() {
    pending = chance(70);
    Step.Reported containers =
        chance(50) ? Step.Reported.RUN : any(List.of(Step.Reported.values()));
    steps.add(new Step.Restart(chance(15), pending, containers, chance(40)));
    up.clear();
    List<Runnable> back = new ArrayList<>();
    for (String resource : resources) if (chance(85)) back.add(() -> plugIn(resource));
    for (String pod : pods) if (chance(85)) back.add(() -> steps.add(new Step.AdmitAgain(pod)));
    java.util.Collections.shuffle(back, random);
    back.forEach(Runnable::run);
    if (chance(80)) ready();
  }
}
