package dev.patchbay.cli;

import dev.patchbay.agent.Plan;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.ConfigReader;
import dev.patchbay.agent.config.ConfigReading;
import dev.patchbay.cli.DemoDevices.Offer;
import dev.patchbay.host.HostRoot;
import dev.patchbay.node.Node;
import dev.patchbay.node.NodeConfig;
import dev.patchbay.node.NodeState;
import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.watch.PathWatch;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The steps of `patchbay demo`, in the order in which they are shown: each says what it does, does
/// it with the two daemons as processes of their own, and looks whether it happened. The first that
/// did not ends the demo with the reason.
final class Demo implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /// For a machine that has nothing of what the built-in configuration offers.
  private static final String WITHOUT_DEVICES =
      """
      version: 1
      drivers:
        device-node:
          devices:
            - {name: zero, groups: [{count: 10, paths: [{path: /dev/zero}]}]}
      """;

  private final PrintWriter out;
  private final Path kubeletDir;
  private final Path manifests;
  private final Path config;
  private final Path logs;
  private final Optional<Path> ownPod;
  private final List<Part> parts = new ArrayList<>();
  private int step;
  private boolean ended;

  Demo(PrintWriter out, Path dir, Optional<Path> ownPod) throws IOException {
    this.out = out;
    this.ownPod = ownPod;
    kubeletDir = Files.createDirectory(dir.resolve("kubelet"));
    manifests = Files.createDirectory(dir.resolve("manifests"));
    logs = Files.createDirectory(dir.resolve("logs"));
    config = dir.resolve("patchbay.yaml");
  }

  void run() throws IOException, InterruptedException, Failed {
    HostRoot host = HostRoot.of(Path.of("/"));
    String text = ConfigReader.defaultText();
    Plan plan = Plan.of(ConfigReader.defaults(), host);
    title("Devices of this machine, and the resources that offer them");
    print(DevicesCommand.table(Inventory.devices(plan)));
    Optional<DemoDevices> found = DemoDevices.of(plan, host);
    if (found.isEmpty()) {
      text = WITHOUT_DEVICES;
      plan = Plan.of(read(text), host);
      found = DemoDevices.of(plan, host);
      say("None of them can be shared here: the demo offers /dev/zero ten times instead.");
    }
    DemoDevices devices =
        found.orElseThrow(() -> new Failed("this machine has not even a /dev/zero to offer"));
    write(config, text);

    Part kubelet = startBoth();
    showAllocatable(plan);
    SortedMap<String, List<String>> held = runPods(devices);
    showGreedyPod(devices.first());
    takeOutOfService(devices.first(), text);
    kubelet = crashKubelet(kubelet, plan, held);
    restartAgent(plan);
    end(kubelet);
  }

  private static AgentConfig read(String text) throws Failed {
    return switch (ConfigReader.read("the demo's configuration", text)) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong -> throw new Failed(wrong.problems().toString());
    };
  }

  private Part startBoth() throws IOException {
    title("An embedded kubelet and the agent: two processes that meet on sockets alone");
    Part kubelet = startKubelet();
    Part agent = startAgent();
    say("kubelet  pid " + kubelet.pid() + ", in " + kubeletDir);
    say("agent    pid " + agent.pid() + ", with its built-in configuration written to " + config);
    return kubelet;
  }

  private Part startKubelet() throws IOException {
    return start(
        "kubelet", "kubelet", "--dir", kubeletDir.toString(), "--manifests", manifests.toString());
  }

  private Part startAgent() throws IOException {
    return start(
        "agent", "agent", "--config", config.toString(), "--kubelet-dir", kubeletDir.toString());
  }

  private Part start(String name, String... args) throws IOException {
    Part part = Part.start(name, logs.resolve(name + ".log"), List.of(args));
    parts.add(part);
    return part;
  }

  private void showAllocatable(Plan plan) throws IOException, InterruptedException, Failed {
    title("The node's capacity and allocatable, as the kubelet sees them");
    NodeState state = awaitAllResources(plan);
    print(NodeCommand.table(state.node()));
  }

  private NodeState awaitAllResources(Plan plan) throws IOException, InterruptedException, Failed {
    Map<String, Long> healthy = new HashMap<>();
    plan.drivers()
        .forEach(driver ->
            driver
                .resources()
                .forEach((name, all) ->
                    healthy.put(
                        name.toString(),
                        all.stream()
                            .filter(it -> it.offered().device().health().isHealthy())
                            .count())));
    return await(
        "all resources are allocatable", state -> state.node().allocatable().equals(healthy));
  }

  private SortedMap<String, List<String>> runPods(DemoDevices devices)
      throws IOException, InterruptedException, Failed {
    title("The demo pod of the Kubernetes page, and a second pod from a YAML file");
    put("demo-pod.yaml", DemoPods.demoPod(devices.first(), devices.second()));
    if (ownPod.isPresent()) put("second-pod.yaml", Files.readString(ownPod.get()));
    else put("second-pod.yaml", DemoPods.secondPod(devices.second(), devices.first()));
    say("two of " + devices.first().resource() + ": " + manifests.resolve("demo-pod.yaml"));
    say("the second: " + ownPod.orElse(manifests.resolve("second-pod.yaml")));
    NodeState state =
        await(
            "both pods have their devices",
            it -> it.pods().size() == 2 && it.pods().stream().allMatch(Demo::isSettled));
    boolean refusedOwn = ownPod.isPresent() && !isUp(pod(state, pods -> !isDemoPod(pods)));
    if (!isUp(pod(state, Demo::isDemoPod))
        || (ownPod.isEmpty() && !state.pods().stream().allMatch(Demo::isUp)))
      throw new Failed("a pod was refused:\n" + PodsCommand.table(state));
    print(PodsCommand.table(state));
    if (refusedOwn) say("Your pod does not run, for the reason above.");
    showInside(state, devices);
    return devicesOf(state);
  }

  private static boolean isDemoPod(PodState pod) {
    return pod.name().equals("demo-pod");
  }

  private static PodState pod(NodeState state, Predicate<PodState> which) throws Failed {
    return state.pods().stream()
        .filter(which)
        .findFirst()
        .orElseThrow(() -> new Failed("a pod is missing"));
  }

  private static boolean isSettled(PodState pod) {
    return isUp(pod) || pod.phase() == Phase.FAILED || pod.reason().equals("Unschedulable");
  }

  /// All containers run, ended well, or would run if there were a runtime.
  private static boolean isUp(PodState pod) {
    return pod.phase() != Phase.FAILED
        && pod.containers().stream().allMatch(it -> it.state() != Activity.WAITING);
  }

  private void showInside(NodeState state, DemoDevices devices)
      throws IOException, InterruptedException, Failed {
    boolean run =
        pod(state, Demo::isDemoPod).containers().stream()
            .noneMatch(it -> it.state() == Activity.NOT_RUN);
    if (!run) {
      say("No container is run: " + whyNone(state) + ". This is what each would get:");
      for (PodState pod : state.pods())
        for (ContainerState container : pod.containers())
          say("  " + name(pod, container) + "  " + PlanCommand.inWords(container.edits()));
      return;
    }
    say("From inside the containers (runtime: " + state.runtime() + "):");
    for (PodState pod : state.pods())
      if (isDemoPod(pod) || ownPod.isEmpty())
        for (ContainerState container : pod.containers()) showReport(pod, container, devices);
  }

  private static String whyNone(NodeState state) {
    return state.runtime().replaceFirst("^none: ", "");
  }

  private void showReport(PodState pod, ContainerState container, DemoDevices devices)
      throws IOException, InterruptedException, Failed {
    Path log = Path.of(container.log());
    List<String> report =
        awaitValue(
            "the report of " + name(pod, container),
            log,
            () -> {
              List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
              boolean all = container.init() || lines.contains(DemoPods.END);
              return all && !lines.isEmpty() ? Optional.of(lines) : Optional.empty();
            });
    for (String line : report)
      if (!line.equals(DemoPods.END)) say("  " + name(pod, container) + "  " + line);
    for (Offer offer : Set.of(devices.first(), devices.second())) {
      boolean granted = container.devices().containsKey(offer.resource());
      String about = granted ? DemoPods.granted(offer) : DemoPods.notGranted(offer);
      String expected = about + (granted ? ": opens" : ": refused (Operation not permitted)");
      boolean mentions = report.stream().anyMatch(line -> line.startsWith(about));
      boolean must = granted || (isDemoPod(pod) && !devices.first().equals(devices.second()));
      if ((mentions || must) && !report.contains(expected))
        throw new Failed(name(pod, container) + " should have reported: " + expected);
    }
  }

  private static String name(PodState pod, ContainerState container) {
    return pod.name() + "/" + container.name();
  }

  private static SortedMap<String, List<String>> devicesOf(NodeState state) {
    SortedMap<String, List<String>> all = new TreeMap<>();
    for (PodState pod : state.pods())
      for (ContainerState container : pod.containers())
        container
            .devices()
            .forEach((resource, ids) -> all.put(name(pod, container) + " " + resource, ids));
    return all;
  }

  private void showGreedyPod(Offer offer) throws IOException, InterruptedException, Failed {
    title("A pod that asks for more than there is, and the reason why it does not run");
    put("greedy-pod.yaml", DemoPods.greedyPod(offer));
    NodeState state =
        await(
            "the pod that asks for too much has a reason",
            it ->
                it.pods().stream()
                    .anyMatch(pod -> pod.name().equals("greedy-pod") && !pod.message().isEmpty()));
    PodState greedy = pod(state, it -> it.name().equals("greedy-pod"));
    if (isUp(greedy)) throw new Failed("a pod got more devices than there are");
    say(greedy.name() + "  " + OutputOption.word(greedy.phase()) + "  " + greedy.reason());
    say(greedy.message());
    Files.delete(manifests.resolve("greedy-pod.yaml"));
    await("the pod went with its manifest", it -> it.pods().size() == 2);
  }

  private void takeOutOfService(Offer offer, String text)
      throws IOException, InterruptedException, Failed {
    title("A device goes out of service, by an edit of the configuration, and comes back");
    String id = offer.ids().getLast();
    long before = offer.ids().size();
    write(
        config,
        text
            + "\nout-of-service:\n  - {resource: %s, device: %s, reason: shown in the demo}\n"
                .formatted(offer.resource(), id));
    await("allocatable fell", it -> allocatable(it, offer) == before - 1);
    say("%s unhealthy: allocatable of %s is %d".formatted(id, offer.resource(), before - 1));
    write(config, text);
    await("allocatable is back", it -> allocatable(it, offer) == before);
    say("%s healthy again: allocatable is %d".formatted(id, before));
  }

  private static long allocatable(NodeState state, Offer offer) {
    return state.node().allocatable().getOrDefault(offer.resource(), 0L);
  }

  private Part crashKubelet(Part kubelet, Plan plan, SortedMap<String, List<String>> held)
      throws IOException, InterruptedException, Failed {
    title("The kubelet is killed with SIGKILL under the running agent, and started again");
    Map<String, Long> pids = pids(NodeState.read(kubeletDir));
    kubelet.kill();
    parts.remove(kubelet);
    Part next = startKubelet();
    await("the new kubelet writes its state", state -> state.pid() == next.pid());
    awaitAllResources(plan);
    NodeState state =
        await(
            "both pods have what they had",
            it -> devicesOf(it).equals(held) && it.pods().stream().allMatch(Demo::isSettled));
    say("all resources registered again, pods hold the same devices");
    if (!pids(state).equals(pids))
      throw new Failed("containers did not live on: " + pids + " became " + pids(state));
    if (!pids.isEmpty()) say("the containers never stopped: " + pids);
    return next;
  }

  private static Map<String, Long> pids(NodeState state) {
    Map<String, Long> pids = new TreeMap<>();
    for (PodState pod : state.pods())
      for (ContainerState container : pod.containers())
        if (container.pid() != 0) pids.put(name(pod, container), container.pid());
    return pids;
  }

  private void restartAgent(Plan plan) throws IOException, InterruptedException, Failed {
    title("The agent is stopped and started again under the running kubelet");
    Part agent = parts.stream().filter(it -> it.is("agent")).findFirst().orElseThrow();
    agent.stop();
    parts.remove(agent);
    await(
        "nothing is allocatable without an agent",
        state -> state.node().allocatable().values().stream().allMatch(count -> count == 0));
    say("stopped: capacity stays for five minutes, nothing is allocatable");
    startAgent();
    awaitAllResources(plan);
    say("started: all resources are allocatable again");
  }

  private void end(Part kubelet) throws IOException, InterruptedException, Failed {
    title("The pods are taken away with their files, and both processes end");
    removeManifests();
    await("all pods are gone", state -> state.pods().isEmpty());
    for (Part part : List.copyOf(parts)) {
      part.stop();
      parts.remove(part);
    }
    try (Stream<Path> left = Files.list(kubeletDir.resolve("device-plugins"))) {
      List<Path> sockets = left.filter(it -> it.toString().endsWith(".sock")).toList();
      if (!sockets.isEmpty()) throw new Failed("sockets are left: " + sockets);
    }
    ended = true;
    say("no container, socket or process of " + kubelet.name() + " and agent is left");
  }

  private void removeManifests() throws IOException {
    try (Stream<Path> files = Files.list(manifests)) {
      for (Path file : files.toList()) Files.deleteIfExists(file);
    }
  }

  private void put(String name, String manifest) throws IOException {
    write(manifests.resolve(name), manifest);
  }

  /// In one step, so that nobody reads half of it.
  private static void write(Path file, String text) throws IOException {
    Path draft = file.resolveSibling("." + file.getFileName() + ".new");
    Files.writeString(draft, text);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private NodeState await(String what, Predicate<NodeState> condition)
      throws IOException, InterruptedException, Failed {
    return awaitValue(
        what,
        NodeState.file(kubeletDir),
        () ->
            Files.exists(NodeState.file(kubeletDir))
                ? Optional.of(NodeState.read(kubeletDir)).filter(condition)
                : Optional.empty());
  }

  private interface Attempt<T> {
    Optional<T> get() throws IOException;
  }

  /// Looks each time when the file changes, until there is a value.
  private <T> T awaitValue(String what, Path file, Attempt<T> attempt)
      throws IOException, InterruptedException, Failed {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (var watch = PathWatch.open(PathWatch.Targets.ofFile(file))) {
      while (true) {
        Optional<T> value = attempt.get();
        if (value.isPresent()) return value.get();
        for (Part part : parts)
          if (!part.isAlive())
            throw new Failed("the " + part.name() + " ended; it wrote last:\n" + part.lastWords());
        if (System.nanoTime() > deadline) throw new Failed(tooLate(what));
        watch.await(Duration.ofMillis(200));
      }
    }
  }

  private String tooLate(String what) {
    var text = new StringBuilder("not within " + PATIENCE.toSeconds() + " s: " + what);
    try {
      NodeState state = NodeState.read(kubeletDir);
      text.append("\n").append(NodeCommand.table(state.node())).append(PodsCommand.table(state));
    } catch (IOException e) {
      text.append("\n").append(Failed.textOf(e));
    }
    for (Part part : parts)
      text.append("\nthe ").append(part.name()).append(" wrote last:\n").append(part.lastWords());
    return text.toString();
  }

  private void title(String text) {
    out.println((step == 0 ? "" : "\n") + ++step + ". " + text);
    out.flush();
  }

  private void say(String line) {
    out.println("   " + line);
    out.flush();
  }

  private void print(String table) {
    table.lines().forEach(this::say);
  }

  /// Ends what a demo that failed, or was interrupted, has left. May be called twice.
  @Override
  public void close() throws IOException {
    if (ended) return;
    ended = true;
    parts.forEach(Part::close);
    parts.clear();
    if (!Files.exists(manifests)) return;
    removeManifests();
    try {
      Node.start(NodeConfig.of(kubeletDir).withManifests(manifests), Optional.empty())
          .closeAndRemovePods();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
