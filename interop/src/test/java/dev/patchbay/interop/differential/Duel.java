package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.interop.differential.PodPlan.Kind;
import dev.patchbay.interop.differential.PodPlan.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Plays one scenario against both sides in lock step: a step, then a look at all that can be seen.
final class Duel {
  private final Side ours;
  private final Side theirs;
  private final Scenario scenario;
  private final Map<String, Known> pods = new LinkedHashMap<>();
  private final SortedSet<String> resources = new TreeSet<>();
  private final Set<String> hasOlder = new TreeSet<>();

  /// Resources that a pod has asked for since the kubelets started.
  private final Set<String> askedFor = new TreeSet<>();

  private final Set<String> preferNothing = new TreeSet<>();
  private final Set<String> refusing = new TreeSet<>();
  private int step;
  private int observations;
  private boolean callsAreEqual = true;
  private boolean sourcesPending;

  /// A pod that both know.
  private record Known(PodPlan plan, boolean active, boolean admitted) {}

  /// Both sides' answers are not equal.
  private static final class Difference extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Outcome.Differs outcome;

    Difference(Outcome.Differs outcome) {
      super(outcome.what());
      this.outcome = outcome;
    }
  }

  private Duel(Side ours, Side theirs, Scenario scenario) {
    this.ours = ours;
    this.theirs = theirs;
    this.scenario = scenario;
  }

  static Outcome play(Scenario scenario, Side ours, Side theirs) throws IOException {
    try {
      return new Duel(ours, theirs, scenario).play();
    } finally {
      ours.end();
      theirs.end();
    }
  }

  private Outcome play() throws IOException {
    try {
      Pair started =
          equal(
              "start",
              side -> {
                side.begin(scenario);
                return "";
              });
      if (!started.ours().isEmpty()) return new Outcome.Equal(observations);
      for (step = 0; step < scenario.steps().size(); step++) {
        if (apply(scenario.steps().get(step))) observe();
      }
      askPodResources();
      return new Outcome.Equal(observations);
    } catch (Difference difference) {
      return difference.outcome;
    } catch (EnoughSeen enough) {
      return new Outcome.CutShort(enough.why, step, "");
    } catch (TheirCrash crash) {
      theirs.kill();
      return new Outcome.CutShort(
          KnownDifference.UPSTREAM_CRASHES, step, String.valueOf(crash.getMessage()));
    }
  }

  /// From here on the two are known to differ.
  private static final class EnoughSeen extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final KnownDifference why;

    EnoughSeen(KnownDifference why) {
      super(why.name());
      this.why = why;
    }
  }

  /// The reference would have ended.
  private static final class TheirCrash extends RuntimeException {
    private static final long serialVersionUID = 1;

    TheirCrash(ControlledKubelet.Crash cause) {
      super(cause);
    }
  }

  /// Something that both do and answer.
  @FunctionalInterface
  private interface Act {
    Object on(Side side) throws IOException;
  }

  /// What each side did; an error is an answer too.
  private record Pair(String ours, String theirs) {
    boolean isEqual() {
      return ours.equals(theirs);
    }
  }

  private Pair both(Act act, String what) throws IOException {
    String here;
    try {
      here = text(act, ours);
    } catch (ControlledKubelet.Crash | Patience.Exhausted e) {
      here = e.toString();
    }
    try {
      return new Pair(here, text(act, theirs));
    } catch (ControlledKubelet.Crash crash) {
      throw new TheirCrash(crash);
    } catch (Patience.Exhausted e) {
      throw new Difference(new Outcome.Differs(step, what, here, e.toString()));
    }
  }

  private String text(Act act, Side side) throws IOException {
    String text;
    try {
      text = String.valueOf(act.on(side));
    } catch (ControlledKubelet.Failure e) {
      text = "error: " + e.getMessage();
    }
    return text.replace(side.devicePlugins().toString(), "DIR")
        .replaceAll("endpoint \\S.* has been stopped", "endpoint … has been stopped");
  }

  private Pair equal(String what, Act act) throws IOException {
    Pair seen = both(act, what);
    observations++;
    if (!seen.isEqual())
      throw new Difference(new Outcome.Differs(step, what, seen.ours(), seen.theirs()));
    return seen;
  }

  /// @return whether anything was done
  private boolean apply(Step next) throws IOException {
    return switch (next) {
      case Step.PluginUp up -> {
        endsBesideAnOlder(up.resource());
        resources.add(up.resource());
        equal(
            "registration of " + up.resource(),
            side -> {
              side.up(up);
              return "";
            });
        registered();
        yield true;
      }
      case Step.PluginList(var resource, var devices) -> {
        if (ours.plugin(resource).isEmpty()) yield false;
        equal(
            "list of " + resource,
            side -> {
              side.list(side.plugin(resource).orElseThrow(), resource, devices);
              return "";
            });
        registered();
        yield true;
      }
      case Step.PluginOver over -> {
        if (ours.plugin(over.resource()).isEmpty()) yield false;
        endsBesideAnOlder(over.resource());
        equal(
            "registration over another of " + over.resource(),
            side -> {
              side.over(over);
              return "";
            });
        hasOlder.add(over.resource());
        registered();
        yield true;
      }
      case Step.PluginDown(var resource) -> {
        if (ours.plugin(resource).isEmpty()) yield false;
        endsBesideAnOlder(resource);
        equal(
            "end of " + resource,
            side -> {
              side.down(resource);
              return "";
            });
        yield true;
      }
      case Step.PluginRefuses(var resource, var refuses) -> {
        ours.plugin(resource).ifPresent(plugin -> plugin.refuses(refuses));
        theirs.plugin(resource).ifPresent(plugin -> plugin.refuses(refuses));
        note(refusing, resource, refuses);
        yield false;
      }
      case Step.PluginPrefersNothing(var resource, var fails) -> {
        ours.plugin(resource).ifPresent(plugin -> plugin.prefersNothing(fails));
        theirs.plugin(resource).ifPresent(plugin -> plugin.prefersNothing(fails));
        note(preferNothing, resource, fails);
        yield false;
      }
      case Step.Admit(var pod, var hints) -> {
        if (pods.containsKey(pod.name())) yield false;
        if (hints) hints(pod);
        admit(pod);
        yield true;
      }
      case Step.AdmitAgain(var name) -> {
        Known pod = pods.get(name);
        if (pod == null || !pod.active()) yield false;
        admit(pod.plan());
        yield true;
      }
      case Step.Remove(var name) -> {
        Known pod = pods.remove(name);
        if (pod == null) yield false;
        equal("remove " + name, side -> side.ask("remove", uid(pod.plan())));
        yield true;
      }
      case Step.End(var name, var phase) -> {
        Known pod = pods.get(name);
        if (pod == null || !pod.active()) yield false;
        equal("end " + name, side -> side.ask("end", uid(pod.plan()).put("phase", phase)));
        pods.put(name, new Known(pod.plan(), false, pod.admitted()));
        yield true;
      }
      case Step.StartContainers(var name) -> {
        Known pod = pods.get(name);
        if (pod == null || !pod.active() || !pod.admitted()) yield false;
        startContainers(pod.plan());
        yield true;
      }
      case Step.CollectGarbage _ -> {
        equal("gc", side -> side.ask("gc"));
        yield true;
      }
      case Step.AskPodResources _ -> {
        askPodResources();
        yield false;
      }
      case Step.Restart restart -> {
        restart(restart);
        yield true;
      }
      case Step.SourcesReady _ -> {
        if (!sourcesPending) yield false;
        sourcesPending = false;
        equal(
            "sources",
            side -> side.ask("sources", ControlledKubelet.arguments().put("ready", true)));
        yield true;
      }
      case Step.GracePeriodEnds(var resource) -> {
        if (!ours.sets(resource).path("stopped").asBoolean()) yield false;
        var arguments = ControlledKubelet.arguments().put("resource", resource);
        equal("age " + resource, side -> side.ask("age", arguments.put("seconds", 301)));
        if (isHeld(resource) || askedFor.contains(resource))
          throw new EnoughSeen(KnownDifference.REMOVED_RESOURCES_ARE_REMEMBERED);
        yield true;
      }
    };
  }

  /// [KnownDifference#AN_OLDER_PLUGIN_ENDS_THE_NEWER].
  private void endsBesideAnOlder(String resource) {
    if (hasOlder.contains(resource))
      throw new EnoughSeen(KnownDifference.AN_OLDER_PLUGIN_ENDS_THE_NEWER);
  }

  private boolean isHeld(String resource) {
    return CheckpointView.read(ours.devicePlugins()).entries().keySet().stream()
        .anyMatch(key -> key.endsWith(" " + resource));
  }

  private static ObjectNode uid(PodPlan pod) {
    return ControlledKubelet.arguments().put("uid", pod.uid());
  }

  // --- what is looked at after each step

  private void observe() throws IOException {
    equal("node", side -> node(side.ask("node")));
    for (String resource : resources) equal("sets " + resource, side -> sets(side.sets(resource)));
    checkpoints();
    for (Known pod : pods.values())
      equal(
          "podStatus " + pod.plan().name(),
          side -> comparable(pod.plan(), status(side, pod.plan())));
    Pair calls = both(Side::newCalls, "calls");
    if (callsAreEqual && !calls.isEqual())
      throw new Difference(new Outcome.Differs(step, "calls", calls.ours(), calls.theirs()));
    callsAreEqual = true;
  }

  /// What both kubelets say of the node; what else the node's status has comes from the machine
  /// that the kubelet runs on.
  ///
  /// Not `capacity`: the device manager tells once which resources were removed, and whoever asks
  /// for that takes it from the node's status.
  private static String node(JsonNode status) {
    SortedMap<String, String> compared = new TreeMap<>();
    for (String part : List.of("capacity", "allocatable"))
      status
          .path(part)
          .properties()
          .forEach(each -> {
            if (each.getKey().contains("/") || List.of("cpu", "memory").contains(each.getKey()))
              compared.put(part + " " + each.getKey(), each.getValue().asText());
          });
    return compared.toString();
  }

  private static String sorted(JsonNode node) {
    if (node.isArray()) {
      List<String> items = new ArrayList<>();
      node.forEach(item -> items.add(sorted(item)));
      items.sort(null);
      return items.toString();
    }
    if (!node.isObject()) return node.toString();
    SortedMap<String, String> members = new TreeMap<>();
    node.properties().forEach(each -> members.put(each.getKey(), sorted(each.getValue())));
    return members.toString();
  }

  /// Without the number of allocated devices, which upstream brings up to date at times, and
  /// whether a set without a device is there. What a resource had that was removed is upstream's
  /// secret.
  private static String sets(JsonNode sets) {
    ObjectNode compared = ((ObjectNode) sets).without("allocated");
    if (!sets.path("endpoint").asBoolean()) compared.remove("all");
    return sorted(compared).replace("-1", "0");
  }

  private static String status(Side side, PodPlan pod) {
    JsonNode status = side.ask("podStatus", uid(pod));
    SortedSet<String> health = new TreeSet<>();
    for (JsonNode container : status.path("containerStatuses"))
      for (JsonNode resource : container.path("allocatedResourcesStatus"))
        for (JsonNode device : resource.path("resources"))
          health.add(
              "%s %s %s %s"
                  .formatted(
                      container.path("name").asText(),
                      resource.path("name").asText(),
                      device.path("resourceID").asText(),
                      device.path("health").asText()));
    return "%s %s %s %s"
        .formatted(
            status.path("phase").asText(),
            status.path("reason").asText(),
            status.path("message").asText(),
            health);
  }

  /// [KnownDifference#ENDED_PODS_STAY_IN_THE_CHECKPOINT].
  private void checkpoints() throws IOException {
    Set<String> active =
        pods.values().stream()
            .filter(Known::active)
            .map(known -> known.plan().uid())
            .collect(Collectors.toSet());
    equal(
        "checkpoint",
        side -> {
          CheckpointView view = CheckpointView.read(side.devicePlugins()).of(active);
          return view.entries() + " " + view.answers();
        });
  }

  private void registered() throws IOException {
    equal("checkpoint, registered", side -> CheckpointView.read(side.devicePlugins()).registered());
  }

  private void askPodResources() throws IOException {
    List<String> names = new ArrayList<>(pods.keySet());
    names.add("nobody");
    List<String> asked = names.subList(Math.max(0, names.size() - 3), names.size());
    Set<String> refused =
        pods.values().stream()
            .filter(known -> !known.admitted())
            .map(known -> "default/" + known.plan().name() + " ")
            .collect(Collectors.toSet());
    Pair seen = both(side -> lines(side.podResources(asked), refused), "PodResources");
    observations++;
    if (!seen.isEqual()) {
      List<String> here = seen.ours().lines().toList();
      List<String> there = seen.theirs().lines().toList();
      String only = only(here, there);
      throw new Difference(
          new Outcome.Differs(
              step, "PodResources", only.isEmpty() ? seen.ours() : only, only(there, here)));
    }
  }

  /// [KnownDifference#REFUSED_PODS_ARE_LISTED_WITH_WHAT_THEY_GOT].
  ///
  /// @param left beginnings of lines that say what a container has, and are left out
  private static String lines(SortedMap<String, List<String>> answers, Set<String> left) {
    var text = new StringBuilder();
    answers.forEach((method, lines) ->
        lines.stream()
            .filter(line -> left.stream().noneMatch(line::startsWith))
            .forEach(line -> text.append(method).append(": ").append(line).append('\n')));
    return text.toString();
  }

  private static String only(List<String> in, List<String> notIn) {
    return in.stream().filter(line -> !notIn.contains(line)).collect(Collectors.joining("\n"));
  }

  // --- pods

  private void hints(PodPlan pod) throws IOException {
    ObjectNode arguments = ControlledKubelet.arguments().set("pod", pod.json());
    equal("hints for pod " + pod.name(), side -> hints(side.ask("hints", arguments)));
    for (Part part : pod.inOrder())
      equal(
          "hints for " + pod.name() + "/" + part.name(),
          side -> hints(side.ask("hints", arguments.deepCopy().put("container", part.name()))));
  }

  private static Object hints(JsonNode answer) {
    SortedMap<String, Object> all = new TreeMap<>();
    answer
        .properties()
        .forEach(each -> {
          if (each.getValue().isNull()) all.put(each.getKey(), "null");
          else {
            SortedSet<String> hints = new TreeSet<>();
            each.getValue().forEach(hint -> hints.add(hint(hint)));
            all.put(each.getKey(), hints);
          }
        });
    return all;
  }

  private static String hint(JsonNode hint) {
    return hint.path("mask") + (hint.path("preferred").asBoolean() ? " preferred" : "");
  }

  private void admit(PodPlan pod) throws IOException {
    pod.parts().forEach(part -> askedFor.addAll(part.devices().keySet()));
    Pair seen =
        both(
            side ->
                verdict(side.ask("admit", ControlledKubelet.arguments().set("pod", pod.json()))),
            "admit " + pod.name());
    observations++;
    if (!seen.isEqual() && !differsByOrderOnly(pod, seen)) {
      if (namesAnotherFault(pod, seen))
        throw new EnoughSeen(KnownDifference.PLUGINS_FAIL_BEFORE_CPUS_AND_MEMORY_DO);
      throw new Difference(
          new Outcome.Differs(step, "admit " + pod.name(), seen.ours(), seen.theirs()));
    }
    boolean admitted = seen.ours().startsWith("admitted");
    pods.put(pod.name(), new Known(pod, admitted, admitted));
    if (!admitted) {
      if (pod.parts().stream().anyMatch(part -> asksAny(part, preferNothing)))
        throw new EnoughSeen(KnownDifference.FAILED_PREFERENCES_KEEP_DEVICES);
      if (sourcesPending && (holds(pod) || asksMoreThanOnce(pod)))
        throw new EnoughSeen(KnownDifference.REFUSED_PODS_HOLD_DEVICES);
      if (asksMoreThanOnce(pod) || mayChoose(pod)) callsAreEqual = false;
      return;
    }
    Set<String> dependent = afterAChoice(pod, held(ours, pod), held(theirs, pod));
    if (scenario.settings().aligns())
      for (Part part : pod.inOrder())
        if (!dependent.contains(part.name()))
          equal(
              "affinity of " + pod.name() + "/" + part.name(),
              side -> hint(side.ask("affinity", uid(pod).put("container", part.name()))));
    choices(pod);
  }

  /// The containers that come after one whose devices are others on the other side: what is best
  /// for them may depend on that.
  private static Set<String> afterAChoice(
      PodPlan pod,
      SortedMap<String, SortedMap<String, SortedSet<String>>> here,
      SortedMap<String, SortedMap<String, SortedSet<String>>> there) {
    Set<String> after = new TreeSet<>();
    boolean differs = false;
    for (Part part : pod.inOrder()) {
      if (differs) after.add(part.name());
      String its = part.name() + " ";
      differs |= !here.subMap(its, its + "\uffff").equals(there.subMap(its, its + "\uffff"));
    }
    return after;
  }

  private static boolean asksAny(Part part, Set<String> of) {
    return part.devices().keySet().stream().anyMatch(of::contains);
  }

  private boolean holds(PodPlan pod) {
    return !held(theirs, pod).isEmpty();
  }

  /// [KnownDifference#PLUGINS_ARE_ASKED_FOR_REFUSED_PODS].
  private static boolean asksMoreThanOnce(PodPlan pod) {
    return pod.parts().stream()
            .mapToInt(part -> part.devices().size() + (part.milliCpu() > 0 ? 1 : 0))
            .sum()
        > 1;
  }

  private static String verdict(JsonNode answer) {
    return answer.path("admit").asBoolean()
        ? "admitted"
        : answer.path("reason").asText() + ": " + answer.path("message").asText();
  }

  /// [KnownDifference#ARBITRARY_ORDER_OF_RESOURCES].
  private boolean differsByOrderOnly(PodPlan pod, Pair seen) {
    return comparable(pod, seen.ours()).equals(comparable(pod, seen.theirs()));
  }

  /// [KnownDifference#PLUGINS_FAIL_BEFORE_CPUS_AND_MEMORY_DO].
  private boolean namesAnotherFault(PodPlan pod, Pair seen) {
    return scenario.settings().hasState()
        && !seen.ours().startsWith("admitted")
        && (names(pod, preferNothing, seen.theirs(), "GetPreferredAllocation rpc failed")
            || names(pod, refusing, seen.theirs(), "Allocate failed due to rpc error"));
  }

  private static void note(Set<String> all, String resource, boolean isOne) {
    if (isOne) all.add(resource);
    else all.remove(resource);
  }

  private static boolean names(PodPlan pod, Set<String> failing, String refusal, String fault) {
    return refusal.contains(fault) && pod.parts().stream().anyMatch(part -> asksAny(part, failing));
  }

  private String comparable(PodPlan pod, String text) {
    boolean hasOrder =
        pod.parts().stream().anyMatch(part -> part.devices().size() > 1)
            || scenario.settings().hasState();
    return hasOrder && !text.startsWith("admitted") ? form(text) : text;
  }

  private String form(String text) {
    String form = text;
    for (String resource : resources) form = form.replace(resource, "RESOURCE");
    form = form.replaceAll("[0-9]+", "N");
    // Which of its own checks a resource fails is as arbitrary as which resource is looked at
    // first.
    return form.contains("Allocate failed due to") ? "UnexpectedAdmissionError" : form;
  }

  // --- which devices

  /// [KnownDifference#ARBITRARY_CHOICE].
  private void choices(PodPlan pod) throws IOException {
    var here = held(ours, pod);
    var there = held(theirs, pod);
    Set<String> dependent = afterAChoice(pod, here, there);
    if (here.equals(there)) return;
    if (!mayChoose(pod) || !groups(pod, here, dependent).equals(groups(pod, there, dependent)))
      throw new Difference(
          new Outcome.Differs(step, "devices of " + pod.name(), here.toString(), there.toString()));
    callsAreEqual = false;
    pods.remove(pod.name());
    equal("remove " + pod.name(), side -> side.ask("remove", uid(pod)));
    equal("gc", side -> side.ask("gc"));
  }

  private static SortedMap<String, SortedMap<String, SortedSet<String>>> held(
      Side side, PodPlan pod) {
    return CheckpointView.read(side.devicePlugins()).heldBy(pod.uid());
  }

  private boolean mayChoose(PodPlan pod) {
    boolean hasInit = pod.parts().stream().anyMatch(part -> part.kind() == Kind.INIT);
    return pod.parts().stream()
        .flatMap(part -> part.devices().keySet().stream())
        .anyMatch(
            resource -> hasInit || !ours.plugin(resource).map(LivePlugin::prefers).orElse(false));
  }

  /// How many devices of each resource each container has on its NUMA nodes, on others, on none.
  ///
  /// @param dependent containers of which the number alone is compared
  private SortedMap<String, String> groups(
      PodPlan pod,
      SortedMap<String, SortedMap<String, SortedSet<String>>> held,
      Set<String> dependent) {
    SortedMap<String, String> groups = new TreeMap<>();
    for (var each : held.entrySet()) {
      String container = each.getKey().substring(0, each.getKey().indexOf(' '));
      JsonNode mask = ours.ask("affinity", uid(pod).put("container", container)).path("mask");
      Set<String> nodes = new TreeSet<>();
      mask.forEach(node -> nodes.add(node.asText()));
      Set<String> aligned = new TreeSet<>();
      Set<String> elsewhere = new TreeSet<>();
      each.getValue()
          .forEach((node, ids) -> {
            if (nodes.contains(node)) aligned.addAll(ids);
            else if (!node.equals("-1")) elsewhere.addAll(ids);
          });
      elsewhere.removeAll(aligned);
      int nowhere = each.getValue().getOrDefault("-1", new TreeSet<>()).size();
      groups.put(
          each.getKey(),
          nodes.isEmpty()
                  || dependent.contains(container)
                  || takesSomeOfMany(pod, each.getKey(), held)
              ? "any " + (aligned.size() + elsewhere.size() + nowhere)
              : aligned.size() + " " + elsewhere.size() + " " + nowhere);
    }
    return groups;
  }

  /// Whether init containers left more devices to a container than it asks for: it takes any.
  ///
  /// @param of the container and the resource, as in the checkpoint
  private static boolean takesSomeOfMany(
      PodPlan pod, String of, SortedMap<String, SortedMap<String, SortedSet<String>>> held) {
    String resource = of.substring(of.indexOf(' ') + 1);
    Set<String> left = new TreeSet<>();
    for (Part part : pod.inOrder()) {
      String key = part.name() + " " + resource;
      Set<String> its = ids(held.getOrDefault(key, new TreeMap<>()));
      if (key.equals(of)) return left.size() > its.size();
      if (part.kind() == Kind.INIT) left.addAll(its);
      else left.removeAll(its);
    }
    return false;
  }

  private static Set<String> ids(SortedMap<String, SortedSet<String>> byNode) {
    return byNode.values().stream()
        .flatMap(Set::stream)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  // --- containers

  private void startContainers(PodPlan pod) throws IOException {
    for (Part part : pod.inOrder()) {
      Pair seen =
          both(
              side -> options(side.ask("options", uid(pod).put("container", part.name()))),
              "options of " + pod.name());
      observations++;
      if (!seen.isEqual() && !(part.devices().size() > 1 && bothFailed(seen))) {
        choices(pod);
        if (pods.containsKey(pod.name()))
          throw new Difference(
              new Outcome.Differs(
                  step,
                  "options of " + pod.name() + "/" + part.name(),
                  seen.ours(),
                  seen.theirs()));
        return;
      }
      if (part.devices().size() > 1 && bothFailed(seen)) callsAreEqual = false;
    }
    choices(pod);
  }

  private static boolean bothFailed(Pair seen) {
    return seen.ours().startsWith("error:") && seen.theirs().startsWith("error:");
  }

  /// The lists in any order: that of the resources is arbitrary.
  private static Object options(JsonNode answer) {
    if (answer.isNull()) return "nothing";
    SortedMap<String, Object> all = new TreeMap<>();
    answer
        .properties()
        .forEach(each -> {
          SortedSet<String> items = new TreeSet<>();
          each.getValue().forEach(item -> items.add(members(item)));
          if (!items.isEmpty()) all.put(each.getKey(), items);
        });
    return all;
  }

  private static String members(JsonNode item) {
    SortedMap<String, String> members = new TreeMap<>();
    item.properties().forEach(each -> members.put(each.getKey(), each.getValue().asText()));
    return members.toString();
  }

  // --- restarts

  private void restart(Step.Restart restart) throws IOException {
    equal("gc", side -> side.ask("gc"));
    writeCheckpoints();
    sourcesPending = restart.sourcesPending() && !holdEnded(ours) && !holdEnded(theirs);
    if (restart.killed()) {
      ours.kill();
      theirs.kill();
    }
    for (Side side : List.of(ours, theirs)) side.dropPlugins();
    hasOlder.clear();
    askedFor.clear();
    preferNothing.clear();
    refusing.clear();
    if (restart.exchange()) {
      if (!restart.killed()) equal("stop", side -> side.ask("stop"));
      exchange();
    }
    Pair started =
        both(
            side -> {
              side.start(restart.killed() ? "start" : "restart", config(side, restart));
              return "";
            },
            "restart");
    observations++;
    if (started.isEqual()) return;
    if (started.ours().isEmpty() && started.theirs().endsWith("default cpuset cannot be empty"))
      throw new EnoughSeen(KnownDifference.UPSTREAM_DOES_NOT_START_WITHOUT_A_SHARED_CPU);
    throw new Difference(new Outcome.Differs(step, "restart", started.ours(), started.theirs()));
  }

  /// The newest list again, so that both have written their newest state.
  private void writeCheckpoints() throws IOException {
    for (String resource : resources)
      if (ours.plugin(resource).isPresent()) {
        equal(
            "list of " + resource,
            side -> {
              LivePlugin plugin = side.plugin(resource).orElseThrow();
              side.list(plugin, resource, plugin.devices());
              return "";
            });
        return;
      }
  }

  /// [KnownDifference#ENDED_PODS_HOLD_DEVICES_AFTER_A_RESTART].
  private boolean holdEnded(Side side) {
    return CheckpointView.read(side.devicePlugins()).entries().keySet().stream()
        .map(key -> key.substring(0, key.indexOf(' ')))
        .anyMatch(uid ->
            pods.values().stream().noneMatch(pod -> pod.active() && pod.plan().uid().equals(uid)));
  }

  private ObjectNode config(Side side, Step.Restart restart) {
    ObjectNode config = side.config(scenario);
    config.put("sourcesPending", sourcesPending);
    ArrayNode containers = config.putArray("containers");
    int index = 0;
    for (Known pod : pods.values()) {
      if (restart.containers() == Step.Reported.UNKNOWN || !pod.active() || !pod.admitted())
        continue;
      for (Part part : pod.plan().parts())
        if (part.kind() != Kind.INIT)
          containers
              .addObject()
              .put("podUID", pod.plan().uid())
              .put("name", part.name())
              .put("id", pod.plan().uid() + "/" + part.name())
              .put("running", restart.containers().isRunning(index++));
    }
    if (restart.killed()) {
      ArrayNode known = config.putArray("pods");
      for (Known pod : pods.values()) {
        ObjectNode json = pod.plan().json();
        if (!pod.active()) json.putObject("status").put("phase", "Failed");
        known.add(json);
      }
    }
    return config;
  }

  private void exchange() throws IOException {
    exchange(
        ours.devicePlugins().resolve(CheckpointView.NAME),
        theirs.devicePlugins().resolve(CheckpointView.NAME));
    for (String file : List.of("cpu_manager_state", "memory_manager_state"))
      exchange(ours.state().resolve(file), theirs.state().resolve(file));
  }

  private static void exchange(Path mine, Path other) throws IOException {
    if (Files.notExists(mine) || Files.notExists(other)) return;
    Path between = mine.resolveSibling("exchanged");
    Files.move(mine, between);
    Files.copy(other, mine, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(between, other, StandardCopyOption.REPLACE_EXISTING);
    Files.delete(between);
  }
}
