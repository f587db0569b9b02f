package dev.patchbay.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.testkit.PluginUnderTest.HealthSwitch;
import dev.patchbay.testkit.ScriptedKubelet.Answer;
import dev.patchbay.testkit.ScriptedKubelet.Registered;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What every device plugin has to do, as the kubelet sees it: over real sockets, whatever the
/// plugin is written in. Extend it and say how your plugin is started:
///
/// ```java
/// final class FusePluginContractTest extends PluginContract {
///   @Override
///   protected PluginUnderTest start(Path kubeletDir) { … }
/// }
/// ```
///
/// That the pauses between attempts are jittered cannot be seen from one plugin; it is not judged.
public abstract class PluginContract {
  private static final Duration A_WHILE = Duration.ofMillis(300);

  /// What a status has to be for its reader to know that the request was wrong, not the wire.
  private static final Set<Status.Code> CLEAR =
      Set.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.OUT_OF_RANGE,
          Status.Code.RESOURCE_EXHAUSTED,
          Status.Code.UNKNOWN);

  private final List<PluginUnderTest> started = new ArrayList<>();
  private Path dir = Path.of("/nonexistent");
  private ScriptedKubelet kubelet = ScriptedKubelet.in(dir);

  /// For the contract's subclasses.
  protected PluginContract() {}

  /// Starts the plugin against the kubelet of this directory (in which
  /// `device-plugins/kubelet.sock` lies, or will) and returns without waiting for a registration.
  /// Every test starts one anew.
  protected abstract PluginUnderTest start(Path kubeletDir) throws Exception;

  /// How long things may take.
  protected Pace pace() {
    return Pace.USUAL;
  }

  @BeforeEach
  final void makeDirectory() throws IOException {
    // Short, since a socket's path has at most 107 bytes.
    dir = Files.createTempDirectory(Path.of("/tmp"), "pbc");
    kubelet = ScriptedKubelet.in(dir);
  }

  @AfterEach
  final void endAll() throws Exception {
    for (PluginUnderTest each : started) each.close();
    kubelet.close();
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }

  @Test
  final void registersInTheKubeletsWords() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    for (String resource : plugin.devices().keySet()) {
      awaitFullList(resource, plugin, 0);
      Registered call = kubelet.registrations(resource).getLast();
      assertThat(call.request().getVersion()).isEqualTo("v1beta1");
      assertThat(ResourceName.problemOf(call.resource())).as("resource name").isEmpty();
      assertThat(call.endpoint()).as("endpoint").endsWith(".sock").doesNotContain("/");
      assertThat(call.options())
          .as("GetDevicePluginOptions says what Register said")
          .contains(call.request().getOptions());
    }
    assertThat(kubelet.mistakes()).as("sockets on which nobody listened yet").isEmpty();
  }

  @Test
  final void theFirstListIsTheFullOneAndNoListComesTwice() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    await()
        .during(A_WHILE)
        .atMost(pace().patience())
        .until(() -> kubelet.lists().of(judged(plugin)).size() == 1);
    assertThat(kubelet.lists().of(judged(plugin)).getFirst().healths())
        .isEqualTo(allHealthy(plugin, judged(plugin)));
  }

  @Test
  final void everyChangeIsSentOnceAsAFullList() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    HealthSwitch health = healthSwitch(plugin);
    String resource = judged(plugin);
    awaitFullList(resource, plugin, 0);
    String id = firstDevice(plugin);
    health.makeUnhealthy(id);
    awaitTrue(() ->
        assertThat(kubelet.lists().newest(resource))
            .isEqualTo(allHealthyBut(id, plugin, resource)));
    health.makeHealthy(id);
    awaitTrue(
        () -> assertThat(kubelet.lists().newest(resource)).isEqualTo(allHealthy(plugin, resource)));
    assertThat(kubelet.lists().of(resource)).as("lists: well, ill, well").hasSize(3);
  }

  @Test
  final void waitsWhenThereIsNeitherKubeletNorDirectory() throws Exception {
    PluginUnderTest plugin = startPlugin();
    await().during(A_WHILE).atMost(pace().patience()).until(plugin::isRunning);
    kubelet.start();
    awaitFullList(judged(plugin), plugin, 0);
  }

  @Test
  final void comesBackAfterTheDirectoryWasRemovedAndMadeAgain() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    kubelet.stopAndRemoveDirectory();
    await().during(A_WHILE).atMost(pace().patience()).until(plugin::isRunning);
    int lists = kubelet.lists().of(judged(plugin)).size();
    kubelet.start();
    awaitFullList(judged(plugin), plugin, lists);
  }

  @Test
  final void asksAgainForAsLongAsRegisterIsRefusedButNotTooOften() throws Exception {
    kubelet.script(Answer.REFUSE).start();
    PluginUnderTest plugin = startPlugin();
    String resource = judged(plugin);
    awaitTrue(() ->
        assertThat(firstToLast(kubelet.registrations(resource)))
            .as("time from the first refused call to the last")
            .isGreaterThanOrEqualTo(pace().refusal()));
    assertThat(kubelet.registrations(resource).size())
        .as("refused calls within %s", pace().refusal())
        .isBetween(2, pace().mostAttempts());
    assertThat(plugin.isRunning()).isTrue();
    kubelet.script(Answer.ACCEPT_AND_LIST);
    awaitFullList(resource, plugin, 0);
  }

  @Test
  final void otherResourcesGoOnWhileOneIsRefused() throws Exception {
    kubelet.scriptFor(judged(startPlugin()), Answer.REFUSE).start();
    PluginUnderTest plugin = started.getLast();
    assumeTrue(plugin.devices().size() > 1, "the plugin serves one resource alone");
    awaitTrue(
        () -> assertThat(kubelet.registrations(judged(plugin))).hasSizeGreaterThanOrEqualTo(2));
    for (String other : plugin.devices().keySet())
      if (!other.equals(judged(plugin))) awaitFullList(other, plugin, 0);
  }

  @Test
  final void givesUpARegisterCallThatIsNeverAnsweredAndAsksAgain() throws Exception {
    kubelet.script(Answer.NEVER_ANSWER, Answer.ACCEPT_AND_LIST).start();
    PluginUnderTest plugin = startPlugin();
    for (String resource : plugin.devices().keySet()) awaitFullList(resource, plugin, 0);
    awaitTrue(() -> assertThat(kubelet.abandonedCalls()).hasSize(1));
  }

  @Test
  final void registersAgainWhenItsListIsNotOpened() throws Exception {
    kubelet.script(Answer.ACCEPT_ONLY, Answer.ACCEPT_ONLY, Answer.ACCEPT_AND_LIST).start();
    PluginUnderTest plugin = startPlugin();
    for (String resource : plugin.devices().keySet()) awaitFullList(resource, plugin, 0);
  }

  @Test
  final void servesTheListOnTwoStreams() throws Exception {
    kubelet.script(Answer.ACCEPT_AND_LIST_TWICE).start();
    PluginUnderTest plugin = startPlugin();
    String resource = judged(plugin);
    awaitTrue(() -> assertThat(kubelet.lists().of(resource)).hasSize(2));
    assertThat(kubelet.lists().of(resource))
        .allSatisfy(list -> assertThat(list.healths()).isEqualTo(allHealthy(plugin, resource)))
        .extracting(ListLog.Listed::stream)
        .doesNotHaveDuplicates();
    assertThat(kubelet.lists().openStreams(resource)).isEqualTo(2);
    if (plugin.healthSwitch().isEmpty()) return;
    plugin.healthSwitch().get().makeUnhealthy(firstDevice(plugin));
    awaitTrue(
        () -> assertThat(kubelet.lists().of(resource)).as("one more list on each").hasSize(4));
  }

  @Test
  final void noticesANewKubeletSocketThoughItsOwnIsLeftAndItsStreamGoesOn() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    kubelet.listen();
    awaitFullList(judged(plugin), plugin, 1);
    assertThat(kubelet.registrations(judged(plugin))).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  final void registersAgainAfterARestartThatLeftItsSocket() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    int lists = kubelet.lists().of(judged(plugin)).size();
    kubelet.kill();
    kubelet.listen();
    awaitFullList(judged(plugin), plugin, lists);
  }

  @Test
  final void comesBackToAKubeletThatWasKilledAndStartedAtOnce() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    for (int i = 0; i < 5; i++) {
      int lists = kubelet.lists().of(judged(plugin)).size();
      kubelet.kill();
      kubelet.start();
      awaitFullList(judged(plugin), plugin, lists);
    }
  }

  @Test
  final void comesBackToAKubeletThatLeftItsSocketAndStayedAway() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    kubelet.kill();
    await().during(A_WHILE).atMost(pace().patience()).until(plugin::isRunning);
    int lists = kubelet.lists().of(judged(plugin)).size();
    kubelet.start();
    awaitFullList(judged(plugin), plugin, lists);
  }

  @ParameterizedTest
  @EnumSource
  final void refusesAnAllocateThatNames(BadAllocate bad) throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    String good = firstDevice(plugin);
    assertRefused(judged(plugin), bad.request(good));
    assertGranted(judged(plugin), good);
  }

  @Test
  final void refusesToAllocateAnUnhealthyDevice() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    HealthSwitch health = healthSwitch(plugin);
    String resource = judged(plugin);
    awaitFullList(resource, plugin, 0);
    String id = firstDevice(plugin);
    health.makeUnhealthy(id);
    awaitTrue(() -> assertThat(kubelet.lists().newest(resource)).contains(id + "=Unhealthy"));
    assertRefused(resource, AllocateRequests.naming(id));
    health.makeHealthy(id);
    awaitTrue(() -> assertThat(kubelet.lists().newest(resource)).contains(id + "=Healthy"));
    assertGranted(resource, id);
  }

  @Test
  final void fifteenKubeletRestartsLeakNothing() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    awaitFullList(judged(plugin), plugin, 0);
    restart(plugin, 5);
    int sockets = SocketFiles.in(kubelet.devicePluginDir()).size();
    Usage before = Usage.of(plugin.pid());
    restart(plugin, 15);
    // Closing runs behind the calls by a little.
    awaitTrue(() -> {
      Usage now = Usage.of(plugin.pid());
      assertThat(now.threads()).as("threads").isLessThanOrEqualTo(before.threads() + 4);
      assertThat(now.descriptors()).as("descriptors").isLessThanOrEqualTo(before.descriptors() + 3);
      assertThat(now.memoryBytes())
          .as("bytes of memory")
          .isLessThanOrEqualTo(before.memoryBytes() + 8 * 1024 * 1024);
      assertThat(SocketFiles.in(kubelet.devicePluginDir())).as("sockets").hasSize(sockets);
    });
    if (plugin.healthSwitch().isEmpty()) return;
    String id = firstDevice(plugin);
    plugin.healthSwitch().get().makeUnhealthy(id);
    awaitTrue(() ->
        assertThat(kubelet.lists().newest(judged(plugin)))
            .isEqualTo(allHealthyBut(id, plugin, judged(plugin))));
  }

  private void restart(PluginUnderTest plugin, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      kubelet.stop();
      int lists = kubelet.lists().of(judged(plugin)).size();
      kubelet.start();
      for (String resource : plugin.devices().keySet())
        awaitFullList(resource, plugin, resource.equals(judged(plugin)) ? lists : i);
    }
  }

  @Test
  final void itsSocketHasANewNameAtEachStart() throws Exception {
    kubelet.start();
    for (int i = 0; i < 3; i++) {
      PluginUnderTest plugin = startPlugin();
      awaitFullList(judged(plugin), plugin, i);
      plugin.close();
    }
    assertThat(kubelet.registrations(judged(started.getLast())))
        .extracting(Registered::endpoint)
        .doesNotHaveDuplicates();
  }

  @Test
  final void leavesNoSocketAndNoStreamWhenItEnds() throws Exception {
    kubelet.start();
    PluginUnderTest plugin = startPlugin();
    for (String resource : plugin.devices().keySet()) awaitFullList(resource, plugin, 0);
    plugin.close();
    awaitTrue(() -> {
      assertThat(SocketFiles.in(kubelet.devicePluginDir()))
          .containsExactly(kubelet.devicePluginDir().resolve("kubelet.sock"));
      for (String resource : plugin.devices().keySet())
        assertThat(kubelet.lists().openStreams(resource)).isZero();
    });
  }

  @Test
  final void endsAlsoWhileTheKubeletDoesNotAnswer() throws Exception {
    kubelet.script(Answer.NEVER_ANSWER).start();
    PluginUnderTest plugin = startPlugin();
    awaitTrue(() -> assertThat(kubelet.registrations(judged(plugin))).isNotEmpty());
    plugin.close();
    awaitTrue(() ->
        assertThat(SocketFiles.in(kubelet.devicePluginDir()))
            .containsExactly(kubelet.devicePluginDir().resolve("kubelet.sock")));
  }

  private PluginUnderTest startPlugin() throws Exception {
    PluginUnderTest plugin = start(dir);
    started.add(plugin);
    return plugin;
  }

  private static String judged(PluginUnderTest plugin) {
    return plugin.devices().firstEntry().getKey();
  }

  private static String firstDevice(PluginUnderTest plugin) {
    return plugin.devices().firstEntry().getValue().first();
  }

  private static HealthSwitch healthSwitch(PluginUnderTest plugin) {
    assumeTrue(plugin.healthSwitch().isPresent(), "there is no way to change a device's health");
    return plugin.healthSwitch().orElseThrow();
  }

  /// Waits for a list beyond the first so many, which has to be the full one.
  private void awaitFullList(String resource, PluginUnderTest plugin, int beyond) {
    awaitTrue(() ->
        assertThat(kubelet.lists().of(resource))
            .as("lists of %s; mistakes %s", resource, kubelet.mistakes())
            .hasSizeGreaterThan(beyond));
    assertThat(kubelet.lists().of(resource).subList(beyond, beyond + 1))
        .singleElement()
        .satisfies(list -> assertThat(list.healths()).isEqualTo(allHealthy(plugin, resource)));
  }

  private static List<String> allHealthy(PluginUnderTest plugin, String resource) {
    return allHealthyBut("", plugin, resource);
  }

  private static List<String> allHealthyBut(String ill, PluginUnderTest plugin, String resource) {
    SortedSet<String> ids = plugin.devices().getOrDefault(resource, Collections.emptySortedSet());
    return ids.stream()
        .map(id -> id + (id.equals(ill) ? "=Unhealthy" : "=Healthy"))
        .sorted()
        .toList();
  }

  private AllocateResponse allocate(String resource, AllocateRequest request) throws IOException {
    return kubelet
        .plugin(resource)
        .withDeadlineAfter(pace().patience().toMillis(), TimeUnit.MILLISECONDS)
        .allocate(request);
  }

  private void assertRefused(String resource, AllocateRequest request) {
    var refusal =
        catchThrowableOfType(StatusRuntimeException.class, () -> allocate(resource, request));
    assertThat(refusal).as("status of Allocate for %s", request).isNotNull();
    assertThat(refusal.getStatus().getCode()).isIn(CLEAR);
    assertThat(refusal.getStatus().getDescription()).as("why it was refused").isNotBlank();
  }

  private void assertGranted(String resource, String id) throws IOException {
    AllocateResponse response = allocate(resource, AllocateRequests.naming(id));
    assertThat(response.getContainerResponsesList())
        .singleElement()
        .as("what a container gets for %s", id)
        .isNotEqualTo(ContainerAllocateResponse.getDefaultInstance());
  }

  private static Duration firstToLast(List<Registered> calls) {
    return calls.isEmpty()
        ? Duration.ZERO
        : Duration.ofNanos(calls.getLast().at() - calls.getFirst().at());
  }

  private void awaitTrue(ThrowingRunnable assertion) {
    await().atMost(pace().patience()).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
  }
}
