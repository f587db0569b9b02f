package dev.patchbay.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.patchbay.node.NodeState.Activity;
import dev.patchbay.node.NodeState.ContainerState;
import dev.patchbay.node.NodeState.Phase;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.oci.ContainerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The life of pods, over a scripted device manager and containers in memory.
@Timeout(60)
class NodeTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path dir;
  private final ScriptedDevices devices = new ScriptedDevices();
  private final InMemoryContainers containers = new InMemoryContainers();
  private final List<Duration> pauses = new CopyOnWriteArrayList<>();
  private final Semaphore mayRetry = new Semaphore(0);
  private Path manifests;
  private Node node;

  @BeforeEach
  void start() throws Exception {
    manifests = Files.createDirectory(dir.resolve("manifests"));
    node = newNode(containers);
  }

  @AfterEach
  void stop() throws Exception {
    node.closeAndRemovePods();
    assertThat(containers.isEmpty()).isTrue();
  }

  @Test
  void aPodRunsAndIsShown() throws Exception {
    devices.offer("a.b/c", "x", "y");
    manifest("one.yaml", "one", "restartPolicy: Always", app("main", "a.b/c: 2"));

    PodState pod = await("one", Phase.RUNNING);

    ContainerState main = pod.containers().getFirst();
    assertThat(main.state()).isEqualTo(Activity.RUNNING);
    assertThat(main.devices()).containsEntry("a.b/c", List.of("x", "y"));
    assertThat(main.edits().env()).containsEntry("DEVICE", "1");
    assertThat(node.awaitState(s -> true, SOON)).isTrue();
    awaitFile(state -> state.equals(node.state()));
  }

  @Test
  void aPodWaitsForItsPlugin() throws Exception {
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    assertThat(await("one", pod -> pod.reason().equals("Unschedulable")).message())
        .isEqualTo("no plugin offers a.b/c");

    devices.offer("a.b/c", "x");

    await("one", Phase.RUNNING);
  }

  @Test
  void aPodWaitsForTheDeviceOfAnother() throws Exception {
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    await("one", Phase.RUNNING);
    manifest("two.yaml", "two", "", app("other", "a.b/c: 1"));
    assertThat(await("two", pod -> pod.reason().equals("Unschedulable")).message())
        .isEqualTo("a.b/c: requested 1, allocatable 1, of these used 1");

    Files.delete(manifests.resolve("one.yaml"));

    await("two", Phase.RUNNING);
    assertThat(devices.calls).doesNotContainSequence("admit one", "admit two");
  }

  @Test
  void aRefusedPodFailsAndHarmsNoOther() throws Exception {
    devices.refusals.put("bad", "no such thing");
    manifest("bad.yaml", "bad", "", app("main", ""));
    manifest("good.yaml", "good", "", app("other", ""));

    PodState bad = await("bad", Phase.FAILED);

    assertThat(bad.reason()).isEqualTo("UnexpectedAdmissionError");
    assertThat(bad.message()).isEqualTo("no such thing");
    await("good", Phase.RUNNING);
    assertThat(containers.started()).containsExactly("other");
  }

  @Test
  void initContainersRunOneAfterTheOtherBeforeTheOthers() throws Exception {
    manifest(
        "one.yaml",
        "one",
        "",
        """
        initContainers:
          - {name: first, image: x}
          - {name: side, image: x, restartPolicy: Always}
          - {name: second, image: x}
        """,
        app("main", ""));

    awaitStarts("first");
    containers.end("first", 0);
    awaitStarts("first", "side", "second");
    assertThat(await("one", p -> true).phase()).isEqualTo(Phase.PENDING);
    containers.end("second", 0);
    awaitStarts("first", "side", "second", "main");
    PodState pod = await("one", Phase.RUNNING);

    assertThat(pod.containers())
        .extracting(ContainerState::name)
        .containsExactly("first", "side", "second", "main");
    assertThat(pod.containers().getFirst().reason()).isEqualTo("Completed");
  }

  @Test
  void aSidecarEndsWithThePod() throws Exception {
    manifest(
        "one.yaml",
        "one",
        "restartPolicy: Never",
        "initContainers: [{name: side, image: x, restartPolicy: Always}]\n",
        app("main", ""));
    awaitStarts("side", "main");

    containers.end("main", 0);

    PodState pod = await("one", Phase.SUCCEEDED);
    assertThat(pod.containers())
        .extracting(ContainerState::state)
        .containsOnly(Activity.TERMINATED);
    assertThat(containers.started()).containsExactly("side", "main");
  }

  @Test
  void anInitContainerThatFailsForGoodFailsThePod() throws Exception {
    manifest(
        "one.yaml",
        "one",
        "restartPolicy: Never",
        "initContainers: [{name: first, image: x}]\n",
        app("main", ""));
    awaitStarts("first");

    containers.end("first", 3);

    assertThat(await("one", Phase.FAILED).message())
        .isEqualTo("init container first ended with status 3");
    assertThat(containers.started()).containsExactly("first");
  }

  @Test
  void aCrashingContainerIsStartedAgainEverLater() throws Exception {
    mayRetry.release(100);
    containers.script("main", ended(1), ended(1), ended(1), ended(0));
    manifest("one.yaml", "one", "restartPolicy: OnFailure", app("main", ""));

    PodState pod = await("one", Phase.SUCCEEDED);

    assertThat(pod.containers().getFirst().restarts()).isEqualTo(3);
    assertThat(pauses).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(20));
  }

  @Test
  void aContainerThatWaitsForItsRestartSaysSo() throws Exception {
    containers.script("main", ended(1), ended(1));
    manifest("one.yaml", "one", "", app("main", ""));

    PodState pod = await("one", p -> p.containers().getFirst().reason().equals("CrashLoopBackOff"));

    assertThat(pod.containers().getFirst().exitCode()).isEqualTo(1);
    assertThat(pod.containers().getFirst().message()).isEqualTo("restarted in 10 s");
  }

  @Test
  void aContainerIsNotRestartedWhenThePolicyIsNever() throws Exception {
    containers.script("main", ended(4));
    manifest("one.yaml", "one", "restartPolicy: Never", app("main", ""));

    PodState pod = await("one", Phase.FAILED);

    assertThat(pod.containers().getFirst().state()).isEqualTo(Activity.TERMINATED);
    assertThat(pod.containers().getFirst().exitCode()).isEqualTo(4);
    assertThat(containers.started()).containsExactly("main");
  }

  @Test
  void anEndedPodHoldsNoDevices() throws Exception {
    devices.offer("a.b/c", "x");
    containers.script("main", ended(0));
    manifest("one.yaml", "one", "restartPolicy: Never", app("main", "a.b/c: 1"));
    await("one", Phase.SUCCEEDED);
    manifest("two.yaml", "two", "", app("other", "a.b/c: 1"));
    await("two", Phase.RUNNING);
  }

  /// Monitors see it, with nothing, until its manifest goes.
  @Test
  void anEndedPodStaysKnownAsLongAsItIsAskedFor() throws Exception {
    devices.offer("a.b/c", "x");
    containers.script("main", ended(4));
    manifest("one.yaml", "one", "restartPolicy: Never", app("main", "a.b/c: 1"));

    awaitCall("ended one FAILED");

    assertThat(devices.calls).noneMatch(call -> call.startsWith("release"));
  }

  @Test
  void aPluginThatRefusesAtTheStartIsAskedAgain() throws Exception {
    devices.failures.put("main", "PreStartContainer failed: busy");
    manifest("one.yaml", "one", "", app("main", ""));

    ContainerState main =
        await("one", p -> p.containers().getFirst().reason().equals("CreateContainerConfigError"))
            .containers()
            .getFirst();
    assertThat(main.message()).isEqualTo("PreStartContainer failed: busy");

    devices.failures.clear();
    mayRetry.release(100);

    await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
  }

  @Test
  void aContainerThatCannotBeStartedSaysWhy() throws Exception {
    containers.script("main", new ContainerStatus.NotStarted("no such program"));
    manifest("one.yaml", "one", "restartPolicy: Never", app("main", ""));

    ContainerState main = await("one", Phase.FAILED).containers().getFirst();

    assertThat(main.reason()).isEqualTo("StartError");
    assertThat(main.message()).isEqualTo("no such program");
    assertThat(main.exitCode()).isEqualTo(128);
  }

  @Test
  void commandsSpeakOfVariables() throws Exception {
    devices.offer("a.b/c", "x");
    manifest(
        "one.yaml",
        "one",
        "",
        """
        containers:
          - name: main
            image: x
            command: [run]
            args: [$(DEVICE), $(B), $$(B), $(NONE)]
            env: [{name: A, value: a}, {name: B, value: $(A)b}]
            resources: {limits: {a.b/c: 1}}
        """);
    await("one", Phase.RUNNING);
    assertThat(containers.spec("main").args()).containsExactly("run", "1", "ab", "$(B)", "$(NONE)");
  }

  @Test
  void aRemovedManifestTakesItsPodAway() throws Exception {
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    String uid = await("one", Phase.RUNNING).uid();

    Files.delete(manifests.resolve("one.yaml"));

    assertThat(node.awaitState(state -> state.pods().isEmpty(), SOON)).isTrue();
    awaitCall("release " + uid);
    assertThat(containers.isEmpty()).isTrue();
    assertThat(dir.resolve("pods").resolve(uid)).doesNotExist();
  }

  @Test
  void aChangedManifestReplacesItsPod() throws Exception {
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    String uid = await("one", Phase.RUNNING).uid();

    manifest("one.yaml", "one", "", app("other", "a.b/c: 1"));

    PodState pod = await("one", p -> !p.uid().equals(uid) && p.phase() == Phase.RUNNING);
    assertThat(pod.containers().getFirst().name()).isEqualTo("other");
    assertThat(containers.started()).containsExactly("main", "other");
  }

  @Test
  void aBrokenManifestIsReportedAndHidesNothing() throws Exception {
    Files.writeString(manifests.resolve("bad.yaml"), "kind: Pod\n");
    Files.writeString(manifests.resolve(".one.yaml.swp"), "not for us");
    manifest("one.yaml", "one", "", app("main", ""));

    await("one", Phase.RUNNING);

    assertThat(node.state().problems())
        .singleElement()
        .asString()
        .contains("bad.yaml", "apiVersion");
  }

  @Test
  void aManifestThatBecomesInvalidKeepsItsPod() throws Exception {
    manifest("one.yaml", "one", "", app("main", ""));
    PodState before = await("one", Phase.RUNNING);

    Files.writeString(manifests.resolve("one.yaml"), "kind: [");

    assertThat(node.awaitState(state -> !state.problems().isEmpty(), SOON)).isTrue();
    assertThat(node.state().pods()).containsExactly(before);
  }

  @Test
  void ofTwoManifestsForOnePodTheFirstStands() throws Exception {
    manifest("a.yaml", "one", "", app("main", ""));
    await("one", Phase.RUNNING);
    manifest("b.yaml", "one", "", app("other", ""));

    assertThat(node.awaitState(state -> !state.problems().isEmpty(), SOON)).isTrue();

    assertThat(node.state().problems().getFirst())
        .contains("b.yaml: pod default/one is that of")
        .contains("a.yaml already");
    assertThat(node.state().pods()).hasSize(1);
  }

  @Test
  void withoutARuntimeThePodIsAdmittedAndItsEditsAreShown() throws Exception {
    node.closeAndRemovePods();
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    node = newNode(new NoContainers("not root"));

    PodState pod = await("one", p -> p.reason().equals("NoRuntime"));

    assertThat(pod.phase()).isEqualTo(Phase.PENDING);
    ContainerState main = pod.containers().getFirst();
    assertThat(main.state()).isEqualTo(Activity.NOT_RUN);
    assertThat(main.message()).isEqualTo("not root");
    assertThat(main.edits().env()).containsEntry("DEVICE", "1");
    assertThat(main.devices()).containsEntry("a.b/c", List.of("x"));
  }

  @Test
  void aNewNodeFindsTheContainersOfTheOldOne() throws Exception {
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    PodState before = await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
    node.close();
    assertThat(NodeState.read(dir).pods()).containsExactly(before);
    devices.calls.clear();

    node = newNode(containers);

    PodState after = await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
    assertThat(after.containers().getFirst().pid()).isEqualTo(before.containers().getFirst().pid());
    assertThat(devices.calls)
        .containsExactly("start [main]", "know one", "admit one", "sources ready");
    assertThat(containers.started()).containsExactly("main");
  }

  @Test
  void aPodThatEndedIsNotRunAgainByANewNode() throws Exception {
    containers.script("main", ended(0));
    manifest("one.yaml", "one", "restartPolicy: Never", app("main", ""));
    await("one", Phase.SUCCEEDED);
    node.close();

    node = newNode(containers);

    await("one", Phase.SUCCEEDED);
    assertThat(containers.started()).containsExactly("main");
  }

  @Test
  void aPodWhoseEndNobodySawBeginsAnew() throws Exception {
    containers.script("first", ended(0));
    manifest(
        "one.yaml",
        "one",
        "restartPolicy: Never",
        "initContainers: [{name: first, image: x}]\n",
        app("main", ""));
    await("one", Phase.RUNNING);
    awaitStarts("first", "main");
    node.close();
    containers.end("main", -1);
    containers.script("first", ended(0));

    node = newNode(containers);

    awaitStarts("first", "main", "first", "main");
  }

  @Test
  void whatIsLeftOfAPodWithoutManifestIsRemoved() throws Exception {
    manifest("one.yaml", "one", "", app("main", ""));
    await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
    node.close();
    Files.delete(manifests.resolve("one.yaml"));

    node = newNode(containers);

    assertThat(containers.isEmpty()).isTrue();
    assertThat(dir.resolve("pods")).isEmptyDirectory();
  }

  @Test
  void devicesOfAPodWhoseManifestWentAwayAreFree() throws Exception {
    node.closeAndRemovePods();
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    node = newNode(new NoContainers("not root"));
    await("one", p -> p.reason().equals("NoRuntime"));
    node.close();
    Files.delete(manifests.resolve("one.yaml"));

    node = newNode(new NoContainers("not root"));

    assertThat(devices.held()).isEmpty();
  }

  @Test
  void aPodThatHeldDevicesWaitsForItsPluginAfterARestart() throws Exception {
    devices.offer("a.b/c", "x");
    containers.script("main", ended(1), ended(1));
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    await("one", p -> p.containers().getFirst().reason().equals("CrashLoopBackOff"));
    node.close();
    devices.offer("a.b/c");

    node = newNode(containers);

    await("one", p -> p.reason().equals("Unschedulable"));
    devices.offer("a.b/c", "x");
    mayRetry.release(100);
    await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
  }

  @Test
  void aRefusedPodThatStillRunsIsEnded() throws Exception {
    devices.offer("a.b/c", "x");
    manifest("one.yaml", "one", "", app("main", "a.b/c: 1"));
    await("one", p -> p.containers().getFirst().state() == Activity.RUNNING);
    node.close();
    devices.refusals.put("one", "changed its mind");

    node = newNode(containers);

    await("one", Phase.FAILED);
    Awaitility.await().until(containers::isEmpty);
  }

  @Test
  void aSecondNodeInTheSameDirectoryIsRefused() {
    assertThatThrownBy(() -> newNode(containers))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("another kubelet runs in " + dir);
  }

  @Test
  void aRemovedNodeLeavesNothing() throws Exception {
    manifest("one.yaml", "one", "", app("main", ""));
    await("one", Phase.RUNNING);
    node.closeAndRemovePods();
    try (Stream<Path> left = Files.list(dir)) {
      assertThat(left).containsExactly(manifests);
    }
    assertThatThrownBy(() -> NodeState.read(dir))
        .hasMessageContaining("no kubelet has run in " + dir);
  }

  private Node newNode(Containers runtime) throws Exception {
    Pause pause =
        time -> {
          pauses.add(time);
          mayRetry.acquire();
        };
    NodeConfig config = NodeConfig.of(dir).withCdiDirectories(List.of(dir.resolve("cdi")));
    return Node.start(
        new Surroundings(
            config,
            new ManifestFolder(config.manifests()),
            devices,
            runtime,
            InstantSource.system(),
            pause),
        "test");
  }

  private void manifest(String file, String name, String... spec) throws IOException {
    Path draft =
        Files.writeString(manifests.resolve("." + file), pod(name, String.join("\n", spec)));
    Files.move(draft, manifests.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String pod(String name, String spec) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + spec.indent(2);
  }

  private static String app(String name, String limits) {
    return "containers: [{name: " + name + ", image: x, resources: {limits: {" + limits + "}}}]";
  }

  private static ContainerStatus ended(int code) {
    return new ContainerStatus.Ended(code);
  }

  private PodState await(String name, Phase phase) throws InterruptedException {
    return await(name, pod -> pod.phase() == phase);
  }

  private PodState await(String name, Predicate<PodState> condition) throws InterruptedException {
    boolean seen =
        node.awaitState(
            state ->
                state.pods().stream().anyMatch(p -> p.name().equals(name) && condition.test(p)),
            SOON);
    assertThat(seen).as("state: %s", node.state()).isTrue();
    return node.state().pods().stream()
        .filter(p -> p.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void awaitStarts(String... names) {
    Awaitility.await().untilAsserted(() -> assertThat(containers.started()).containsExactly(names));
  }

  private void awaitCall(String call) {
    Awaitility.await().untilAsserted(() -> assertThat(devices.calls).contains(call));
  }

  private void awaitFile(Predicate<NodeState> condition) {
    Awaitility.await().untilAsserted(() -> assertThat(NodeState.read(dir)).matches(condition));
  }
}
