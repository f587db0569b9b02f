package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.FeatureGate;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.status.AllocatedResources;
import dev.patchbay.kubelet.status.NodeQuantities;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/// What each operation does with the embedded kubelet.
///
/// Kubelets live one after the other over the same [PodBook]. The lock is held over a start and a
/// stop, so that two of them do not cross; other requests go to the kubelet that is there.
public final class KubeletOperations implements ControlSession.Operations, AutoCloseable {
  private static final String CHECKPOINT = "kubelet_internal_checkpoint";
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final HealthEvents events;
  private final PodBook pods = new PodBook();
  private final KubeletMetrics metrics = new KubeletMetrics();
  private final ReentrantLock changing = new ReentrantLock();
  private volatile Optional<RunningKubelet> current = Optional.empty();
  private volatile Optional<StartConfig> last = Optional.empty();

  private KubeletOperations(HealthEvents events) {
    this.events = events;
  }

  /// Answers the requests of a session until it ends, and stops the kubelet then.
  ///
  /// @throws IOException when the session's input cannot be read
  public static void serve(ControlSession session) throws IOException, InterruptedException {
    try (var operations = new KubeletOperations(session)) {
      session.serve(operations);
    }
  }

  @Override
  public JsonNode run(String operation, Arguments request) throws WrongRequest, IOException {
    return switch (operation) {
      case "start" -> start(request);
      case "restart" -> restart(request);
      case "stop" -> {
        close();
        yield BooleanNode.TRUE;
      }
      case "metrics" -> MetricValues.of(metrics.text(), request.optionalText("prefix").orElse(""));
      case "rss" -> ResidentMemory.now();
      case "admit" -> admit(request);
      case "remove" -> remove(request);
      case "end" -> end(request);
      case "capacity" -> Answers.capacity(kubelet().deviceCapacity());
      case "node" -> node();
      case "shouldReset" -> BooleanNode.valueOf(NodeQuantities.isResetDue(life().config().dir()));
      case "sources" -> {
        kubelet().sourcesReady(request.flag("ready", false));
        yield BooleanNode.TRUE;
      }
      case "gc" -> {
        kubelet().collectGarbage();
        yield BooleanNode.TRUE;
      }
      case "options" -> {
        PodSpec pod = pods.find(request);
        yield Answers.options(kubelet().runOptions(pod, container(pod, request).name()));
      }
      case "hints" -> hints(request);
      case "affinity" -> {
        PodSpec pod = pods.find(request);
        yield Answers.hint(kubelet().affinity(pod.uid(), container(pod, request).name()));
      }
      case "podStatus" -> podStatus(pods.find(request));
      case "checkpoint" -> TextNode.valueOf(checkpoint());
      case "health" -> TextNode.valueOf(kubelet().problem().orElse("ok"));
      case "age" -> age(request);
      case "sets" -> Answers.sets(kubelet().devices().counts(resource(request)));
      default ->
          throw new WrongRequest(
              "there is no operation \"" + operation + "\"; the control protocol names them");
    };
  }

  // --- lives

  private JsonNode start(Arguments request) throws WrongRequest, IOException {
    StartConfig config =
        StartConfig.read(Arguments.of("start: config", request.needed("config", "an object")));
    changing.lock();
    try {
      stop();
      pods.clear();
      return begin(config);
    } finally {
      changing.unlock();
    }
  }

  private JsonNode restart(Arguments request) throws WrongRequest, IOException {
    changing.lock();
    try {
      Optional<Arguments> given = request.optionalObject("config");
      StartConfig config =
          given.isPresent()
              ? StartConfig.read(given.get())
              : last.map(StartConfig::withoutPods)
                  .orElseThrow(() -> new WrongRequest("restart: there was no start before"));
      stop();
      return begin(config);
    } finally {
      changing.unlock();
    }
  }

  private JsonNode begin(StartConfig config) throws WrongRequest, IOException {
    for (JsonNode pod : config.pods()) pods.put(PodBook.read(pod));
    last = Optional.of(config);
    try {
      current = Optional.of(RunningKubelet.start(config, pods, events, metrics));
    } catch (IllegalArgumentException e) { // settings that cannot be: the reason is upstream's
      throw new WrongRequest(String.valueOf(e.getMessage()));
    }
    return JSON.objectNode().put("pid", ProcessHandle.current().pid());
  }

  private void stop() {
    current.ifPresent(RunningKubelet::close);
    current = Optional.empty();
  }

  @Override
  public void close() {
    changing.lock();
    try {
      stop();
    } finally {
      changing.unlock();
    }
  }

  private RunningKubelet life() throws WrongRequest {
    return current.orElseThrow(
        () -> new WrongRequest("no kubelet was started; needed is the operation start before"));
  }

  private Kubelet kubelet() throws WrongRequest {
    return life().kubelet();
  }

  // --- pods

  private JsonNode admit(Arguments request) throws WrongRequest {
    PodSpec pod = pods.find(request);
    pods.put(new PodBook.Entry(pod, PodPhase.ACTIVE, Optional.empty()));
    Admission admission =
        request.flag("predicates", true)
            ? kubelet().admit(pod)
            : kubelet().admitWithoutPredicates(pod);
    if (admission instanceof Admission.Refused refused)
      pods.put(new PodBook.Entry(pod, PodPhase.FAILED, Optional.of(refused)));
    return Answers.verdict(pod.uid(), admission);
  }

  private JsonNode remove(Arguments request) throws WrongRequest {
    PodSpec pod = pods.find(request);
    pods.remove(pod.uid());
    kubelet().remove(pod.uid());
    return BooleanNode.TRUE;
  }

  private JsonNode end(Arguments request) throws WrongRequest {
    PodSpec pod = pods.find(request);
    String text = request.text("phase");
    PodPhase phase =
        switch (text) {
          case "Succeeded" -> PodPhase.SUCCEEDED;
          case "Failed" -> PodPhase.FAILED;
          default ->
              throw new WrongRequest(
                  "no pod ends in phase \"" + text + "\"; needed is Succeeded or Failed");
        };
    pods.put(new PodBook.Entry(pod, phase, Optional.empty()));
    kubelet().ended(pod.uid(), phase);
    return BooleanNode.TRUE;
  }

  private static ContainerSpec container(PodSpec pod, Arguments request) throws WrongRequest {
    String name = request.text("container");
    return pod.allContainers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new WrongRequest(
                "pod %s/%s has no container \"%s\"; it has %s"
                    .formatted(
                        pod.namespace(),
                        pod.name(),
                        name,
                        pod.allContainers().stream().map(ContainerSpec::name).toList())));
  }

  private JsonNode hints(Arguments request) throws WrongRequest {
    PodSpec pod = pods.find(request);
    boolean ofContainer =
        request.optionalText("container").filter(name -> !name.isEmpty()).isPresent();
    return Answers.hints(
        ofContainer ? kubelet().hints(pod, container(pod, request)) : kubelet().podHints(pod));
  }

  private JsonNode podStatus(PodSpec pod) throws WrongRequest {
    ObjectNode status = JSON.objectNode();
    Optional<PodBook.Entry> known = pods.entry(pod.uid());
    PodPhase phase = known.map(PodBook.Entry::phase).orElse(PodPhase.ACTIVE);
    status.put("qosClass", pod.qosClass().toString());
    switch (phase) {
      case SUCCEEDED -> status.put("phase", "Succeeded");
      case FAILED -> {
        status.put("phase", "Failed");
        known
            .flatMap(PodBook.Entry::refusal)
            .ifPresent(refusal ->
                status
                    .put("reason", refusal.reason())
                    .put("message", "Pod was rejected: " + refusal.message()));
      }
      case ACTIVE -> {
        status.put("phase", "Running");
        containerStatuses(pod, status.putArray("containerStatuses"));
      }
    }
    return status;
  }

  private void containerStatuses(PodSpec pod, ArrayNode statuses) throws WrongRequest {
    var devices = kubelet().devices();
    var held = devices.heldBy(pod.uid());
    boolean showsHealth = kubelet().settings().isOn(FeatureGate.RESOURCE_HEALTH_STATUS);
    for (ContainerSpec container : pod.containers()) {
      ObjectNode status = statuses.addObject().put("name", container.name()).put("ready", true);
      status.putObject("state").putObject("running");
      if (!showsHealth || !held.containsKey(container.name())) continue;
      SortedMap<ResourceName, SortedSet<DeviceId>> ids = new TreeMap<>();
      held.get(container.name()).forEach((name, share) -> ids.put(name, share.devices()));
      ArrayNode rows = status.putArray("allocatedResourcesStatus");
      AllocatedResources.of(ids, devices::device)
          .forEach((name, healths) -> {
            ArrayNode resources =
                rows.addObject().put("name", name.toString()).putArray("resources");
            healths.forEach(each ->
                resources
                    .addObject()
                    .put("resourceID", each.id().value())
                    .put("health", each.word()));
          });
    }
  }

  // --- the node

  private JsonNode node() throws WrongRequest {
    NodeQuantities now = life().node();
    ObjectNode answer = JSON.objectNode();
    answer.set("capacity", Answers.numbers(wholeCpus(now.capacity())));
    answer.set("allocatable", Answers.numbers(wholeCpus(now.allocatable())));
    return answer;
  }

  private static SortedMap<String, Long> wholeCpus(SortedMap<String, Long> quantities) {
    SortedMap<String, Long> all = new TreeMap<>(quantities);
    all.computeIfPresent("cpu", (_, thousandths) -> Math.ceilDiv(thousandths, 1000));
    return all;
  }

  private String checkpoint() throws WrongRequest, IOException {
    Path file = life().config().dir().resolve(CHECKPOINT);
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no checkpoint " + file, e);
    }
  }

  private static ResourceName resource(Arguments request) throws WrongRequest {
    String text = request.text("resource");
    Optional<String> problem = ResourceName.problemOf(text);
    if (problem.isPresent())
      throw new WrongRequest(request.where() + ": resource \"" + text + "\": " + problem.get());
    return ResourceName.of(text);
  }

  private JsonNode age(Arguments request) throws WrongRequest {
    ResourceName resource = resource(request);
    var by = Duration.ofMillis(Math.round(request.number("seconds") * 1000));
    if (!kubelet().age(resource, by))
      throw new WrongRequest(
          "age: the endpoint of " + resource + " has not stopped; needed is one that has");
    return BooleanNode.TRUE;
  }
}
