package dev.patchbay.cluster;

import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.ResourceHealth;
import io.fabric8.kubernetes.api.model.ResourceStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The status of a pod, made of what the node shows of it and of what was said of it before: times
/// are those at which something was first seen to be so, also by an earlier kubelet.
///
/// @param address the node's
/// @param showsHealth whether it says how the devices of containers are
record PodStatusText(String address, boolean showsHealth) {
  private static final String REJECTED = "Pod was rejected: ";

  /// As Kubernetes shows a container of whose end nobody knows.
  private static final int UNKNOWN_END = 137;

  /// A pod, and what an earlier kubelet said of it.
  ///
  /// @param images by container
  /// @param restarts by container
  record Known(
      String namespace,
      String name,
      String uid,
      Map<String, String> images,
      Map<String, Integer> restarts) {
    static Known of(Pod pod, PodStatus status) {
      Map<String, String> images = new HashMap<>();
      for (Container container : pod.getSpec().getInitContainers())
        images.put(container.getName(), String.valueOf(container.getImage()));
      for (Container container : pod.getSpec().getContainers())
        images.put(container.getName(), String.valueOf(container.getImage()));
      Map<String, Integer> restarts = new HashMap<>();
      for (ContainerStatus container : status.getInitContainerStatuses())
        restarts.put(container.getName(), container.getRestartCount());
      for (ContainerStatus container : status.getContainerStatuses())
        restarts.put(container.getName(), container.getRestartCount());
      var meta = pod.getMetadata();
      return new Known(
          meta.getNamespace(),
          meta.getName(),
          meta.getUid(),
          Map.copyOf(images),
          Map.copyOf(restarts));
    }

    @Override
    public String toString() {
      return namespace + "/" + name;
    }
  }

  /// The status of a pod that was not let in.
  PodStatus refused(PodStatus before, String reason, String message, Instant now) {
    return common(before, now)
        .withPhase("Failed")
        .withReason(reason)
        .withMessage(REJECTED + message)
        .build();
  }

  /// The status now.
  ///
  /// @param before what the API server has
  PodStatus of(Known pod, PodStatus before, PodState now, Instant time) {
    if (now.refused()) return refused(before, now.reason(), now.message(), time);
    boolean hasInit = now.containers().stream().anyMatch(ContainerState::init);
    List<ContainerStatus> init = new ArrayList<>();
    List<ContainerStatus> app = new ArrayList<>();
    for (ContainerState container : now.containers()) {
      int restarts = pod.restarts.getOrDefault(container.name(), 0) + container.restarts();
      ContainerStatus status =
          container(
              pod.images.getOrDefault(container.name(), ""),
              pod.uid(),
              find(before, container.name()),
              hasInit ? container : withoutInit(container),
              restarts,
              time);
      (container.init() ? init : app).add(status);
    }
    return common(before, time)
        .withPhase(word(now.phase()))
        .withReason(now.reason().isEmpty() ? null : now.reason())
        .withMessage(now.message().isEmpty() ? null : now.message())
        .withInitContainerStatuses(init)
        .withContainerStatuses(app)
        .withConditions(conditions(before, now, time))
        .build();
  }

  /// The status of a pod all of whose containers were ended since it was to be deleted.
  PodStatus last(PodStatus status) {
    String phase = status.getPhase();
    if ("Succeeded".equals(phase) || "Failed".equals(phase)) return status;
    boolean well =
        !status.getContainerStatuses().isEmpty()
            && status.getContainerStatuses().stream()
                .map(it -> it.getState().getTerminated())
                .allMatch(it -> it != null && it.getExitCode() == 0);
    return new PodStatusBuilder(status).withPhase(well ? "Succeeded" : "Failed").build();
  }

  private PodStatusBuilder common(PodStatus before, Instant now) {
    return new PodStatusBuilder()
        .withQosClass(before.getQosClass())
        .withStartTime(before.getStartTime() == null ? text(now) : before.getStartTime())
        .withHostIP(address)
        .withHostIPs(new HostIP(address));
  }

  private static @Nullable ContainerStatus find(PodStatus status, String container) {
    return Stream.concat(
            status.getContainerStatuses().stream(), status.getInitContainerStatuses().stream())
        .filter(it -> it.getName().equals(container))
        .findFirst()
        .orElse(null);
  }

  private ContainerStatus container(
      String image,
      String uid,
      @Nullable ContainerStatus before,
      ContainerState now,
      int restarts,
      Instant time) {
    boolean same = before != null && before.getRestartCount() == restarts;
    String id = "patchbay://%s_%s_%d".formatted(uid, now.name(), restarts);
    var state = new ContainerStateBuilder();
    boolean running = now.state() == Activity.RUNNING;
    switch (now.state()) {
      case WAITING, NOT_RUN ->
          state
              .withNewWaiting()
              .withReason(now.reason())
              .withMessage(now.message().isEmpty() ? null : now.message())
              .endWaiting();
      case RUNNING ->
          state
              .withNewRunning()
              .withStartedAt(startedAt(same ? before : null).orElse(text(time)))
              .endRunning();
      case TERMINATED -> state.withTerminated(terminated(now, id, same ? before : null, time));
    }
    boolean begun = running || now.state() == Activity.TERMINATED;
    return new ContainerStatusBuilder()
        .withName(now.name())
        .withImage(image)
        .withImageID(begun ? image : "")
        .withContainerID(begun ? id : null)
        .withReady(running || (now.init() && !now.sidecar() && endedWell(now)))
        .withStarted(running)
        .withRestartCount(restarts)
        .withState(state.build())
        .withLastState(
            new ContainerStateBuilder().withTerminated(lastEnd(before, now, restarts, uid)).build())
        .withAllocatedResourcesStatus(health(now))
        .build();
  }

  /// What the node says of every container at first is upstream's word only after init containers.
  private static ContainerState withoutInit(ContainerState container) {
    return container.reason().equals("PodInitializing")
        ? container.waitingFor("ContainerCreating")
        : container;
  }

  private static boolean endedWell(ContainerState container) {
    return container.state() == Activity.TERMINATED && container.exitCode() == 0;
  }

  private static Optional<String> startedAt(@Nullable ContainerStatus before) {
    return Optional.ofNullable(before)
        .map(it -> it.getState())
        .flatMap(it -> Optional.ofNullable(it.getRunning()))
        .map(it -> it.getStartedAt());
  }

  private static ContainerStateTerminated terminated(
      ContainerState now, String id, @Nullable ContainerStatus before, Instant time) {
    Optional<ContainerStateTerminated> known =
        Optional.ofNullable(before)
            .map(it -> it.getState())
            .flatMap(it -> Optional.ofNullable(it.getTerminated()));
    return new ContainerStateTerminatedBuilder()
        .withContainerID(id)
        .withExitCode(now.exitCode() < 0 ? UNKNOWN_END : now.exitCode())
        .withReason(now.reason())
        .withMessage(now.message().isEmpty() ? null : now.message())
        .withStartedAt(
            known
                .map(ContainerStateTerminated::getStartedAt)
                .or(() -> startedAt(before))
                .orElse(text(time)))
        .withFinishedAt(known.map(ContainerStateTerminated::getFinishedAt).orElse(text(time)))
        .build();
  }

  /// How the run before this one ended.
  private static @Nullable ContainerStateTerminated lastEnd(
      @Nullable ContainerStatus before, ContainerState now, int restarts, String uid) {
    if (before == null) return null;
    ContainerStateTerminated shown =
        before.getState() == null ? null : before.getState().getTerminated();
    boolean next = before.getRestartCount() < restarts || now.state() == Activity.WAITING;
    if (shown != null && next) return shown;
    ContainerStateTerminated kept =
        before.getLastState() == null ? null : before.getLastState().getTerminated();
    if (before.getRestartCount() >= restarts || now.exitCode() < 0) return kept;
    // It ended and began again between two looks.
    return new ContainerStateTerminatedBuilder()
        .withContainerID("patchbay://%s_%s_%d".formatted(uid, now.name(), restarts - 1))
        .withExitCode(now.exitCode())
        .withReason(now.exitCode() == 0 ? "Completed" : "Error")
        .withStartedAt(startedAt(before).orElse(null))
        .build();
  }

  /// Of app containers alone, as upstream has it.
  private List<ResourceStatus> health(ContainerState container) {
    if (container.init() || !showsHealth) return List.of();
    List<ResourceStatus> rows = new ArrayList<>();
    container
        .devices()
        .forEach((resource, ids) -> {
          List<String> bad = container.unhealthy().getOrDefault(resource, List.of());
          rows.add(
              new ResourceStatus(
                  resource,
                  ids.stream()
                      .map(id -> health(id, bad.contains(id) ? "Unhealthy" : "Healthy"))
                      .toList()));
        });
    return rows;
  }

  private static ResourceHealth health(String id, String word) {
    var health = new ResourceHealth();
    health.setResourceID(id);
    health.setHealth(word);
    return health;
  }

  private static List<PodCondition> conditions(PodStatus before, PodState now, Instant time) {
    boolean over = now.phase() == Phase.SUCCEEDED || now.phase() == Phase.FAILED;
    List<String> notInitialized = new ArrayList<>();
    List<String> notReady = new ArrayList<>();
    boolean begun = false;
    for (ContainerState container : now.containers()) {
      boolean running = container.state() == Activity.RUNNING;
      begun |= running || container.state() == Activity.TERMINATED;
      if (container.init() && !(container.sidecar() ? running : endedWell(container)))
        notInitialized.add(container.name());
      if (!container.init() && !running) notReady.add(container.name());
    }
    String why = now.phase() == Phase.SUCCEEDED ? "PodCompleted" : "ContainersNotReady";
    if (now.phase() == Phase.FAILED) why = "PodFailed";
    String names = String.join(" ", notReady);
    List<PodCondition> conditions = new ArrayList<>();
    conditions.add(condition("PodReadyToStartContainers", begun && !over, "", ""));
    conditions.add(
        condition(
            "Initialized",
            notInitialized.isEmpty() || now.phase() == Phase.SUCCEEDED,
            now.phase() == Phase.SUCCEEDED ? "PodCompleted" : "ContainersNotInitialized",
            "containers with incomplete status: [" + String.join(" ", notInitialized) + "]"));
    boolean ready = notReady.isEmpty() && notInitialized.isEmpty() && !over;
    for (String type : List.of("Ready", "ContainersReady"))
      conditions.add(
          condition(
              type, ready, why, over ? "" : "containers with unready status: [" + names + "]"));
    return conditions.stream().map(it -> timed(it, before, time)).toList();
  }

  private static PodCondition condition(String type, boolean is, String reason, String message) {
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(is ? "True" : "False")
        .withReason(is || reason.isEmpty() ? null : reason)
        .withMessage(is || message.isEmpty() ? null : message)
        .build();
  }

  private static PodCondition timed(PodCondition condition, PodStatus before, Instant now) {
    Optional<PodCondition> same =
        before.getConditions().stream()
            .filter(it ->
                it.getType().equals(condition.getType())
                    && it.getStatus().equals(condition.getStatus()))
            .findFirst();
    return new PodConditionBuilder(condition)
        .withLastTransitionTime(same.map(PodCondition::getLastTransitionTime).orElse(text(now)))
        .build();
  }

  private static String word(Phase phase) {
    return switch (phase) {
      case PENDING -> "Pending";
      case RUNNING -> "Running";
      case SUCCEEDED -> "Succeeded";
      case FAILED -> "Failed";
    };
  }

  private static String text(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
