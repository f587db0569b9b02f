package dev.patchbay.node;

import dev.patchbay.cdi.CdiEdits;
import dev.patchbay.cdi.CdiRegistry;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.PodSpec.RestartPolicy;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.oci.BundleSpec;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// One container over all its restarts. [#run] belongs to one thread.
final class ContainerLife {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.node");

  /// As Kubernetes shows a container whose process could not be started.
  private static final int START_ERROR = 128;

  private final Surroundings around;
  private final PodSpec pod;
  private final ContainerSpec container;
  private final Path bundle;
  private final Shown shown;
  private final CountDownLatch started = new CountDownLatch(1);
  private final BackOff crashes = BackOff.ofCrashes();

  /// Where a container's state is shown.
  @FunctionalInterface
  interface Shown {
    void update(UnaryOperator<ContainerState> change);
  }

  ContainerLife(Surroundings around, PodSpec pod, ContainerSpec container, Shown shown) {
    this.around = around;
    this.pod = pod;
    this.container = container;
    this.bundle = around.config().pods().resolve(pod.uid()).resolve(container.name());
    this.shown = shown;
  }

  Path bundle() {
    return bundle;
  }

  /// What is there of it from before.
  ContainerStatus status() throws IOException, InterruptedException {
    return around.containers().status(bundle);
  }

  /// Waits until the container runs for the first time, or would run if there were a runtime.
  void awaitStarted() throws InterruptedException {
    started.await();
  }

  /// Runs the container, or goes on with one that runs already, until it has ended for good.
  ///
  /// @return its exit status
  int run(RestartPolicy policy) throws InterruptedException, IOException {
    ContainerStatus status = status();
    while (true) {
      if (status instanceof ContainerStatus.Absent) status = start();
      Instant since = around.clock().instant();
      if (status instanceof ContainerStatus.Running running) {
        shown.update(state -> state.with(Activity.RUNNING, "", "", running.pid()));
        started.countDown();
        around.containers().awaitEnd(bundle);
        status = status();
        continue;
      }
      int code = exitCode(status);
      String reason = reason(status, code);
      String message = status instanceof ContainerStatus.NotStarted not ? not.why() : "";
      shown.update(state -> state.ended(code).with(Activity.TERMINATED, reason, message, 0));
      if (!startsAgain(policy, code)) {
        started.countDown();
        return code;
      }
      waitForRestart(Duration.between(since, around.clock().instant()), message);
      status = start();
    }
  }

  /// Ends the container for good, if it runs. No thread is in [#run] any more.
  void stop(Duration grace) throws InterruptedException, IOException {
    if (!(status() instanceof ContainerStatus.Running)) return;
    happened(PodEvent.Kind.NORMAL, "Killing", "Stopping container " + container.name());
    around.containers().stop(bundle, grace);
    ContainerStatus status = status();
    int code = exitCode(status);
    shown.update(state -> state.ended(code).with(Activity.TERMINATED, reason(status, code), "", 0));
  }

  /// Shows what the container would get, for a node without a runtime.
  void showOnly(String why) throws InterruptedException {
    ContainerEdits edits = edits();
    shown.update(state -> state.with(edits, "").with(Activity.NOT_RUN, "NoRuntime", why, 0));
    started.countDown();
  }

  private void waitForRestart(Duration ranFor, String message) throws InterruptedException {
    Duration wait = crashes.after(ranFor);
    if (!wait.isZero()) {
      String text =
          "restarted in " + wait.toSeconds() + " s" + (message.isEmpty() ? "" : ": " + message);
      shown.update(state -> state.with(Activity.WAITING, "CrashLoopBackOff", text, 0));
      happened(
          PodEvent.Kind.WARNING,
          "BackOff",
          "Back-off restarting failed container %s in pod %s_%s(%s)"
              .formatted(container.name(), pod.name(), pod.namespace(), pod.uid()));
      around.pause().sleep(wait);
    }
    shown.update(ContainerState::restarted);
  }

  /// Tries until the container was handed to the runtime.
  private ContainerStatus start() throws InterruptedException {
    BackOff attempts = BackOff.ofAttempts();
    while (true) {
      ContainerEdits edits = edits();
      try {
        ContainerStatus status =
            around.containers().start(bundle, bundleSpec(edits, resolve(edits)));
        shown.update(state -> state.with(edits, bundle.resolve("log").toString()));
        tell(status);
        LOG.log(
            System.Logger.Level.INFO,
            "container started pod={0}/{1} container={2} status={3}",
            pod.namespace(),
            pod.name(),
            container.name(),
            status);
        return status;
      } catch (IOException e) {
        endIfDetached();
        waiting("CreateContainerError", e);
        around.pause().sleep(attempts.after(Duration.ZERO));
      }
    }
  }

  /// What the devices bring; tried until the plugin gives it.
  private ContainerEdits edits() throws InterruptedException {
    BackOff attempts = BackOff.ofAttempts();
    while (true) {
      try {
        return around.devices().runOptions(pod, container.name()).orElse(ContainerEdits.NONE);
      } catch (IOException e) {
        endIfDetached();
        waiting("CreateContainerConfigError", e);
        around.pause().sleep(attempts.after(Duration.ZERO));
      }
    }
  }

  private CdiEdits resolve(ContainerEdits edits) throws IOException {
    if (edits.cdiDevices().isEmpty()) return CdiEdits.NONE;
    CdiRegistry registry = CdiRegistry.scan(around.config().cdiDirectories());
    return switch (registry.resolve(edits.cdiDevices())) {
      case CdiRegistry.Resolution.Resolved(CdiEdits resolved) -> resolved;
      case CdiRegistry.Resolution.Unresolved(var reasons) ->
          throw new IOException("CDI devices cannot be resolved: " + reasons);
    };
  }

  private BundleSpec bundleSpec(ContainerEdits edits, CdiEdits cdi) throws IOException {
    SequencedMap<String, String> env = Expansion.expandInOrder(container.env());
    SequencedMap<String, String> all = new LinkedHashMap<>(edits.env());
    all.putAll(env);
    List<String> args =
        Stream.concat(container.command().stream(), container.args().stream()).toList();
    return new BundleSpec(
        Expansion.expand(args, all),
        env,
        container.workingDir().isEmpty() ? "/" : container.workingDir(),
        pod.name().substring(0, Math.min(pod.name().length(), 63)),
        root(),
        edits,
        cdi,
        pod.annotations(),
        "/unset");
  }

  private BundleSpec.Root root() throws IOException {
    if (!container.image().startsWith("/")) return new BundleSpec.Root.HostPrograms();
    Path directory = Path.of(container.image());
    if (!Files.isDirectory(directory))
      throw new IOException("image " + directory + " is no directory with a root file system");
    return new BundleSpec.Root.Directory(directory);
  }

  /// An interrupt makes I/O fail too; that is no fault of the container.
  private static void endIfDetached() throws InterruptedException {
    if (Thread.currentThread().isInterrupted()) throw new InterruptedException();
  }

  private void waiting(String reason, IOException e) {
    String message = String.valueOf(e.getMessage());
    LOG.log(
        System.Logger.Level.WARNING,
        "container not started pod={0}/{1} container={2} reason={3} message=\"{4}\"",
        pod.namespace(),
        pod.name(),
        container.name(),
        reason,
        message);
    shown.update(state -> state.with(Activity.WAITING, reason, message, 0));
    happened(PodEvent.Kind.WARNING, "Failed", "Error: " + message);
  }

  private void tell(ContainerStatus started) {
    happened(PodEvent.Kind.NORMAL, "Created", "Container created");
    if (started instanceof ContainerStatus.NotStarted not)
      happened(PodEvent.Kind.WARNING, "Failed", "Error: " + not.why());
    else happened(PodEvent.Kind.NORMAL, "Started", "Container started");
  }

  /// In the words of Kubernetes 1.36 (`kuberuntime/kuberuntime_container.go`).
  private void happened(PodEvent.Kind kind, String reason, String message) {
    around.source().happened(pod, PodEvent.of(kind, container.name(), reason, message));
  }

  private static boolean startsAgain(RestartPolicy policy, int code) {
    return switch (policy) {
      case ALWAYS -> true;
      case ON_FAILURE -> code != 0;
      case NEVER -> false;
    };
  }

  private static int exitCode(ContainerStatus status) {
    return switch (status) {
      case ContainerStatus.Ended(int code) -> code;
      case ContainerStatus.NotStarted not -> START_ERROR;
      case ContainerStatus.Absent absent -> -1;
      case ContainerStatus.Running running ->
          throw new IllegalStateException("container still runs: " + running);
    };
  }

  private static String reason(ContainerStatus status, int code) {
    if (status instanceof ContainerStatus.NotStarted) return "StartError";
    if (code < 0) return "ContainerStatusUnknown";
    return code == 0 ? "Completed" : "Error";
  }
}
