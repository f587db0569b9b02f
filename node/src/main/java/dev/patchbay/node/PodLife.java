package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.PodSpec.RestartPolicy;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// One pod from the moment its manifest is seen until all of it is gone.
///
/// Its thread waits until the node has what the pod asks for, admits it, runs the init containers
/// one after the other, then the others side by side, each on a thread of its own. [#detach] ends
/// these threads and leaves the containers running; [#remove] takes the containers and devices away
/// too.
final class PodLife {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.node");

  private final Surroundings around;
  private final PodSpec pod;
  private final boolean waitsUntilItFits;
  private final CountDownLatch place;
  private final List<ContainerLife> initContainers = new ArrayList<>();
  private final List<ContainerLife> containers = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final CountDownLatch gone = new CountDownLatch(1);
  private final Thread thread;
  private volatile PodState state;
  private volatile boolean admitted;

  /// @param place opens when the pod of the same name that was before is gone
  PodLife(Surroundings around, PodSource.Asked asked, CountDownLatch place) {
    this.around = around;
    this.pod = asked.pod();
    this.waitsUntilItFits = asked.wish() instanceof PodSource.Wish.RunWhenItFits;
    this.place = place;
    List<ContainerState> states = new ArrayList<>();
    for (ContainerSpec container : pod.initContainers()) add(container, true, states);
    for (ContainerSpec container : pod.containers()) add(container, false, states);
    this.state =
        new PodState(
            pod.uid(),
            pod.namespace(),
            pod.name(),
            asked.origin(),
            Phase.PENDING,
            "",
            "",
            false,
            states);
    this.thread =
        Thread.ofVirtual().name("pod-" + pod.namespace() + "/" + pod.name()).unstarted(this::live);
  }

  private void add(ContainerSpec container, boolean init, List<ContainerState> states) {
    int index = states.size();
    states.add(ContainerState.waiting(container.name(), init, container.sidecar()));
    ContainerLife life = new ContainerLife(around, pod, container, change -> show(index, change));
    (init ? initContainers : containers).add(life);
  }

  PodSpec pod() {
    return pod;
  }

  PodState state() {
    return state;
  }

  /// Admits a pod that runs since before, while the device manager's sources are not ready.
  void admitAgain() {
    admit();
  }

  /// Whether one of its containers runs, from an earlier process of this node.
  boolean runsAlready() throws IOException, InterruptedException {
    for (ContainerLife container : all())
      if (container.status() instanceof ContainerStatus.Running) return true;
    return false;
  }

  /// Whether all its containers that keep running do so; then it needs no plugin.
  boolean runsInFull() throws IOException, InterruptedException {
    for (ContainerLife container : concat(sidecars(), containers))
      if (!(container.status() instanceof ContainerStatus.Running)) return false;
    return true;
  }

  void start() {
    thread.start();
  }

  /// Ends what this process does for the pod; its containers go on.
  void detach() {
    thread.interrupt();
  }

  /// Waits for the end of its threads after [#detach] or before [#remove].
  void awaitThreads() throws InterruptedException {
    thread.join();
  }

  /// Takes the pod away: containers, devices, directory.
  ///
  /// @param grace how long the containers have to end by themselves; each of the app containers at
  ///   the same time, then each of the sidecars
  void remove(Duration grace) throws InterruptedException {
    detach();
    awaitThreads();
    place.await();
    try {
      stopSideBySide(grace);
      for (ContainerLife sidecar : sidecars().reversed()) sidecar.stop(grace);
      removeAll(containers);
      for (ContainerLife sidecar : initContainers.reversed()) removeAll(List.of(sidecar));
      Files.deleteIfExists(around.config().pods().resolve(pod.uid()));
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "pod not removed in full pod=%s/%s".formatted(pod.namespace(), pod.name()),
          e);
    } finally {
      around.devices().release(pod.uid());
      giveRoom();
      gone.countDown();
      around.source().gone(pod, state);
    }
    LOG.log(System.Logger.Level.INFO, "pod removed pod={0}/{1}", pod.namespace(), pod.name());
  }

  private void stopSideBySide(Duration grace) throws InterruptedException {
    List<Thread> stops = new ArrayList<>();
    for (int i = 0; i < containers.size(); i++) {
      ContainerLife container = containers.get(i);
      stops.add(worker(pod.containers().get(i).name(), () -> container.stop(grace)));
    }
    for (Thread stop : stops) stop.join();
  }

  /// Opens at the end of [#remove].
  CountDownLatch gone() {
    return gone;
  }

  private void live() {
    List<Thread> workers = new ArrayList<>();
    try {
      place.await();
      if (isOver()) removeAll(all()); // refused, although it ran before
      else if (!endedBefore() && (admitted || admitInTime())) run(workers);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // detached
    } catch (IOException | RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) return; // detached while it read a file
      LOG.log(
          System.Logger.Level.ERROR,
          "pod given up pod=%s/%s".formatted(pod.namespace(), pod.name()),
          e);
      end(PodPhase.FAILED, "Error", String.valueOf(e.getMessage()));
    } finally {
      workers.forEach(Thread::interrupt);
      workers.forEach(PodLife::joinUninterruptibly);
    }
  }

  private boolean admitInTime() throws InterruptedException {
    return waitsUntilItFits ? admitWhenItFits() : admit();
  }

  private boolean admitWhenItFits() throws InterruptedException {
    while (true) {
      long seen = around.changes().count();
      Optional<String> problem = around.reservations().take(pod, around.devices().nodeResources());
      if (problem.isEmpty()) return admit();
      show(state -> state.with(Phase.PENDING, "Unschedulable", problem.get()));
      around.changes().awaitAfter(seen);
    }
  }

  private boolean admit() {
    return switch (around.devices().admit(pod)) {
      case Admission.Admitted yes -> {
        admitted = true;
        show(state -> state.with(Phase.PENDING, "", ""));
        LOG.log(System.Logger.Level.INFO, "pod admitted pod={0}/{1}", pod.namespace(), pod.name());
        yield true;
      }
      case Admission.Refused(String reason, String message) -> {
        LOG.log(
            System.Logger.Level.ERROR,
            "pod refused pod={0}/{1} reason={2} message=\"{3}\"",
            pod.namespace(),
            pod.name(),
            reason,
            message);
        around.source().happened(pod, PodEvent.ofPod(reason, message));
        show(state -> state.refused(reason, message));
        giveRoom(); // its devices are free, and it stays known as failed
        yield false;
      }
    };
  }

  private void run(List<Thread> workers) throws InterruptedException, IOException {
    Optional<String> whyNone = around.containers().whyNone();
    if (whyNone.isPresent()) {
      for (ContainerLife container : all()) container.showOnly(whyNone.get());
      show(state -> state.with(Phase.PENDING, "NoRuntime", whyNone.get()));
      return;
    }
    if (!runInitContainers(workers)) return;
    List<Integer> exitCodes = runSideBySide(workers);
    boolean well = exitCodes.stream().allMatch(code -> code == 0);
    workers.forEach(Thread::interrupt);
    for (Thread worker : workers) worker.join();
    for (ContainerLife sidecar : sidecars().reversed()) sidecar.stop(around.config().stopGrace());
    end(well ? PodPhase.SUCCEEDED : PodPhase.FAILED, "", "");
  }

  private boolean runInitContainers(List<Thread> workers) throws InterruptedException, IOException {
    RestartPolicy policy =
        pod.restartPolicy() == RestartPolicy.ALWAYS
            ? RestartPolicy.ON_FAILURE
            : pod.restartPolicy();
    for (int i = 0; i < initContainers.size(); i++) {
      ContainerLife container = initContainers.get(i);
      String name = pod.initContainers().get(i).name();
      if (pod.initContainers().get(i).sidecar()) {
        workers.add(worker(name, () -> container.run(RestartPolicy.ALWAYS)));
        container.awaitStarted();
        continue;
      }
      int code = container.run(policy);
      if (code == 0) continue;
      end(PodPhase.FAILED, "Init:Error", "init container " + name + " ended with status " + code);
      return false;
    }
    return true;
  }

  private List<Integer> runSideBySide(List<Thread> workers) throws InterruptedException {
    AtomicIntegerArray exitCodes = new AtomicIntegerArray(containers.size());
    List<Thread> mine = new ArrayList<>();
    for (int i = 0; i < containers.size(); i++) {
      ContainerLife container = containers.get(i);
      int index = i;
      exitCodes.set(index, -1);
      mine.add(
          worker(
              pod.containers().get(i).name(),
              () -> exitCodes.set(index, container.run(pod.restartPolicy()))));
    }
    workers.addAll(mine);
    for (Thread worker : mine) worker.join();
    return IntStream.range(0, exitCodes.length()).mapToObj(exitCodes::get).toList();
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private Thread worker(String container, Work work) {
    return Thread.ofVirtual()
        .name("container-" + pod.name() + "/" + container)
        .start(() -> {
          try {
            work.run();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // detached
          } catch (IOException | RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) return; // detached
            LOG.log(
                System.Logger.Level.ERROR,
                "container given up pod=%s container=%s".formatted(pod.name(), container),
                e);
          }
        });
  }

  /// A pod whose containers all ended for good under an earlier process of this node is not run
  /// again. One of which nobody saw the end, as after a restart of the machine, begins anew.
  private boolean endedBefore() throws IOException, InterruptedException {
    List<ContainerStatus> statuses = new ArrayList<>();
    for (ContainerLife container : containers) statuses.add(container.status());
    if (statuses.contains(new ContainerStatus.Ended(-1)) && !runsAlready()) {
      removeAll(all());
      return false;
    }
    boolean well = true;
    for (ContainerStatus status : statuses) {
      if (!(status instanceof ContainerStatus.Ended(int code))) return false;
      if (pod.restartPolicy() == RestartPolicy.ALWAYS) return false;
      if (pod.restartPolicy() == RestartPolicy.ON_FAILURE && code != 0) return false;
      well &= code == 0;
    }
    for (ContainerLife container : containers) container.run(pod.restartPolicy()); // shows its end
    end(well ? PodPhase.SUCCEEDED : PodPhase.FAILED, "", "");
    return true;
  }

  private boolean isOver() {
    return switch (state.phase()) {
      case PENDING, RUNNING -> false;
      case SUCCEEDED, FAILED -> true;
    };
  }

  private void end(PodPhase phase, String reason, String message) {
    Phase shown = phase == PodPhase.SUCCEEDED ? Phase.SUCCEEDED : Phase.FAILED;
    show(state -> state.with(shown, reason, message));
    around.devices().ended(pod, phase);
    giveRoom();
  }

  private void giveRoom() {
    around.reservations().give(pod.uid());
    around.changes().signal();
  }

  private List<ContainerLife> sidecars() {
    return IntStream.range(0, initContainers.size())
        .filter(i -> pod.initContainers().get(i).sidecar())
        .mapToObj(initContainers::get)
        .toList();
  }

  private List<ContainerLife> all() {
    return concat(initContainers, containers);
  }

  private static List<ContainerLife> concat(List<ContainerLife> first, List<ContainerLife> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  private void removeAll(List<ContainerLife> lives) throws IOException, InterruptedException {
    for (ContainerLife life : lives)
      around.containers().remove(life.bundle(), around.config().stopGrace());
  }

  private void show(UnaryOperator<PodState> change) {
    boolean changed;
    lock.lock();
    try {
      PodState before = state;
      state = change.apply(before);
      changed = !state.equals(before);
    } finally {
      lock.unlock();
    }
    if (changed) around.changes().signal();
  }

  private void show(int index, UnaryOperator<ContainerState> change) {
    show(podState -> {
      List<ContainerState> states = new ArrayList<>(podState.containers());
      ContainerState now = change.apply(states.get(index));
      states.set(index, now);
      boolean begun = !now.init() && hasBegun(now) && podState.phase() == Phase.PENDING;
      return (begun ? podState.with(Phase.RUNNING, "", "") : podState).with(states);
    });
  }

  private static boolean hasBegun(ContainerState container) {
    return switch (container.state()) {
      case RUNNING, TERMINATED -> true;
      case WAITING, NOT_RUN -> false;
    };
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
