package dev.patchbay.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.patchbay.model.ContainerEdits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What a node and its pods are doing, as its file `state.json` says it.
///
/// @param pid of the node's process
/// @param startedAt when that process started, ISO 8601 in UTC
/// @param runtime the OCI runtime in use, or why there is none
/// @param node the node's extended resources
/// @param pods sorted by namespace and name
/// @param problems of manifests, one line each with file, line and field
public record NodeState(
    long pid,
    String startedAt,
    String runtime,
    Resources node,
    List<PodState> pods,
    List<String> problems) {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
          .build();

  public NodeState {
    pods = List.copyOf(pods);
    problems = List.copyOf(problems);
  }

  /// Reads the state of the node with this directory.
  ///
  /// @throws IOException when there is none, or it cannot be read; the message names the file
  public static NodeState read(Path directory) throws IOException {
    Path file = file(directory);
    try {
      return JSON.readValue(Files.readAllBytes(file), NodeState.class);
    } catch (NoSuchFileException e) {
      throw new IOException("no kubelet has run in " + directory + ": there is no " + file, e);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IOException("cannot read " + file + ": " + e.getOriginalMessage(), e);
    }
  }

  /// Whether the process that wrote this state is still there.
  public boolean isLive() {
    return ProcessHandle.of(pid).isPresent();
  }

  /// Where the node with this directory writes its state.
  public static Path file(Path directory) {
    return directory.resolve("state.json");
  }

  /// Replaces the file in one step.
  void write(Path directory) throws IOException {
    Path draft = directory.resolve(".state.json.new");
    Files.write(draft, JSON.writeValueAsBytes(this));
    Files.move(
        draft,
        file(directory),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /// Extended resources of the node.
  ///
  /// @param capacity number of devices by resource, healthy or not
  /// @param allocatable number of healthy devices by resource
  public record Resources(SortedMap<String, Long> capacity, SortedMap<String, Long> allocatable) {
    public Resources {
      capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
      allocatable = Collections.unmodifiableSortedMap(new TreeMap<>(allocatable));
    }
  }

  /// Where a pod is in its life, in Kubernetes' words.
  public enum Phase {
    /// Waits for resources, init containers or a runtime.
    @JsonProperty("Pending")
    PENDING,
    /// Its containers were started; a crashed one may wait for its restart.
    @JsonProperty("Running")
    RUNNING,
    /// All containers ended well and are not started again.
    @JsonProperty("Succeeded")
    SUCCEEDED,
    /// Refused, or a container failed and is not started again.
    @JsonProperty("Failed")
    FAILED
  }

  /// One pod.
  ///
  /// @param file its manifest
  /// @param reason one word for a phase that is not Running, such as `Unschedulable` or
  ///   `UnexpectedAdmissionError`; may be empty
  /// @param message the reason for people; may be empty
  /// @param refused whether the pod failed since it was not admitted
  /// @param containers init containers first, each in the order of the manifest
  public record PodState(
      String uid,
      String namespace,
      String name,
      String file,
      Phase phase,
      String reason,
      String message,
      boolean refused,
      List<ContainerState> containers) {
    public PodState {
      containers = List.copyOf(containers);
    }

    PodState with(Phase newPhase, String newReason, String newMessage) {
      return new PodState(
          uid, namespace, name, file, newPhase, newReason, newMessage, refused, containers);
    }

    PodState refused(String newReason, String newMessage) {
      return new PodState(
          uid, namespace, name, file, Phase.FAILED, newReason, newMessage, true, containers);
    }

    PodState with(List<ContainerState> newContainers) {
      return new PodState(
          uid, namespace, name, file, phase, reason, message, refused, newContainers);
    }
  }

  /// What one container does.
  public enum Activity {
    /// Not started yet, or to be started again.
    @JsonProperty("Waiting")
    WAITING,
    /// Its process is there.
    @JsonProperty("Running")
    RUNNING,
    /// Ended, not started again.
    @JsonProperty("Terminated")
    TERMINATED,
    /// It would run if there were a runtime; `edits` says with what.
    @JsonProperty("NotRun")
    NOT_RUN
  }

  /// One container of a pod.
  ///
  /// @param init whether it is an init container
  /// @param sidecar whether it is one that keeps running
  /// @param reason one word, such as `CrashLoopBackOff` or `CreateContainerConfigError`; may be
  ///   empty
  /// @param message the reason for people; may be empty
  /// @param pid of its first process while it runs, else 0
  /// @param exitCode of its last end; -1 when it has not ended yet or nobody saw it
  /// @param restarts how often it was started again
  /// @param devices ids of the devices that it holds, by resource
  /// @param unhealthy those of them that were not healthy when they were listed last, by resource
  /// @param edits what its devices brought at its last start; empty before
  /// @param log path of its output; empty when it does not run
  public record ContainerState(
      String name,
      boolean init,
      boolean sidecar,
      Activity state,
      String reason,
      String message,
      long pid,
      int exitCode,
      int restarts,
      SortedMap<String, List<String>> devices,
      SortedMap<String, List<String>> unhealthy,
      ContainerEdits edits,
      String log) {
    public ContainerState {
      devices = Collections.unmodifiableSortedMap(new TreeMap<>(devices));
      unhealthy = Collections.unmodifiableSortedMap(new TreeMap<>(unhealthy));
    }

    static ContainerState waiting(String name, boolean init, boolean sidecar) {
      return new ContainerState(
          name,
          init,
          sidecar,
          Activity.WAITING,
          "PodInitializing",
          "",
          0,
          -1,
          0,
          new TreeMap<>(Map.of()),
          new TreeMap<>(Map.of()),
          ContainerEdits.NONE,
          "");
    }

    ContainerState with(Activity activity, String newReason, String newMessage, long newPid) {
      return new ContainerState(
          name,
          init,
          sidecar,
          activity,
          newReason,
          newMessage,
          newPid,
          exitCode,
          restarts,
          devices,
          unhealthy,
          edits,
          log);
    }

    /// The same with another reason to wait.
    public ContainerState waitingFor(String newReason) {
      return with(Activity.WAITING, newReason, message, pid);
    }

    ContainerState ended(int code) {
      return new ContainerState(
          name, init, sidecar, state, reason, message, 0, code, restarts, devices, unhealthy, edits,
          log);
    }

    ContainerState restarted() {
      return new ContainerState(
          name,
          init,
          sidecar,
          state,
          reason,
          message,
          0,
          exitCode,
          restarts + 1,
          devices,
          unhealthy,
          edits,
          log);
    }

    ContainerState with(
        SortedMap<String, List<String>> held, SortedMap<String, List<String>> broken) {
      return new ContainerState(
          name, init, sidecar, state, reason, message, pid, exitCode, restarts, held, broken, edits,
          log);
    }

    ContainerState with(ContainerEdits newEdits, String newLog) {
      return new ContainerState(
          name, init, sidecar, state, reason, message, pid, exitCode, restarts, devices, unhealthy,
          newEdits, newLog);
    }
  }
}
