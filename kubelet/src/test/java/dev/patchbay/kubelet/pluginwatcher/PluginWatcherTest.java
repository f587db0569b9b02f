package dev.patchbay.kubelet.pluginwatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.kubelet.pluginwatcher.PluginWatcherConfig.Refused;
import dev.patchbay.proto.pluginregistration.PluginInfo;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PluginWatcherTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NIC = "vendor.example/nic";

  private final List<AutoCloseable> open = new ArrayList<>();
  private final RecordingHandler handler = new RecordingHandler();
  private Path dir = Path.of("/nonexistent");

  @BeforeEach
  void makeDirectory() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pbw");
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open.reversed()) each.close();
    try (Stream<Path> tree = Files.walk(dir)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }

  @Test
  void registersASocketThatLiesThereAtTheStart() throws Exception {
    Files.createDirectories(registry());
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    PluginWatcher watcher = start();
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
    assertThat(handler.events)
        .containsExactly(
            "validate " + NIC + " " + socket("nic.sock") + " [v1beta1]",
            "register " + NIC + " " + socket("nic.sock"));
    assertThat(watcher.plugins().desired()).containsExactly(socket("nic.sock"));
    assertThat(watcher.plugins().actual()).containsExactly(socket("nic.sock"));
  }

  @Test
  void registersASocketThatComesLater() throws Exception {
    var _ = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
    assertThat(plugin.asked()).isEqualTo(1);
  }

  @Test
  void passesOnTheEndpointThatThePluginNames() throws Exception {
    var _ = start();
    RegistryPlugin plugin =
        plugin("nic.sock", info("DevicePlugin", NIC).setEndpoint("/elsewhere/nic.sock").build());
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
    assertThat(handler.events).contains("register " + NIC + " /elsewhere/nic.sock");
  }

  @Test
  void tellsAPluginOfAnUnknownKindThatNobodyTakesIt() throws Exception {
    var _ = start();
    RegistryPlugin plugin = plugin("csi.sock", info("CSIPlugin", "driver").build());
    awaitTrue(() ->
        assertThat(plugin.told())
            .hasSizeGreaterThan(1)
            .containsOnly(
                "RegisterPlugin error -- no handler registered for plugin type: CSIPlugin at socket "
                    + socket("csi.sock")));
    assertThat(handler.events).isEmpty();
  }

  @Test
  void tellsAPluginWhyItIsNotValidAndAsksAgain() throws Exception {
    handler.invalid = "too old";
    PluginWatcher watcher = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    awaitTrue(() ->
        assertThat(plugin.told())
            .hasSizeGreaterThan(1)
            .containsOnly("RegisterPlugin error -- plugin validation failed with err: too old"));
    assertThat(watcher.plugins().actual()).isEmpty();
    handler.invalid = "";
    awaitTrue(() -> assertThat(plugin.told()).endsWith("registered"));
  }

  @Test
  void triesARefusedPluginAgain() throws Exception {
    handler.refusal = "no room";
    PluginWatcher watcher = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    awaitTrue(() ->
        assertThat(plugin.told())
            .hasSizeGreaterThan(1)
            .containsOnly("RegisterPlugin error -- plugin registration failed with err: no room"));
    handler.refusal = "";
    awaitTrue(() -> assertThat(plugin.told()).endsWith("registered"));
    assertThat(watcher.plugins().actual()).containsExactly(socket("nic.sock"));
  }

  @Test
  void leavesARefusedPluginAloneUntilItsSocketIsMadeAnewWhenSetSo() throws Exception {
    handler.refusal = "no room";
    PluginWatcher watcher = start(config().with(Refused.LEFT_ALONE));
    RegistryPlugin first = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(first.told()).hasSize(1));
    handler.refusal = "";
    RegistryPlugin other = plugin("other.sock", "vendor.example/other");
    awaitTrue(() -> assertThat(other.told()).containsExactly("registered"));
    assertThat(first.asked()).isEqualTo(1);
    assertThat(watcher.plugins().actual()).contains(socket("nic.sock"));
    first.close();
    RegistryPlugin second = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(second.told()).containsExactly("registered"));
  }

  @Test
  void takesAPluginOffThatCannotBeTold() throws Exception {
    var _ = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    var _ = plugin.refusingNotice(Status.INTERNAL);
    awaitTrue(() ->
        assertThat(handler.events)
            .containsSubsequence(
                "register " + NIC + " " + socket("nic.sock"),
                "deregister " + NIC + " " + socket("nic.sock"),
                "register " + NIC + " " + socket("nic.sock")));
  }

  @Test
  void aSocketThatDoesNotAnswerHoldsUpNoOther() throws Exception {
    Files.createDirectories(registry());
    RegistryPlugin slow = plugin("a.sock", NIC).silent();
    RegistryPlugin good = plugin("b.sock", "vendor.example/other");
    var _ = start(withInfoTimeout(PATIENCE.multipliedBy(2)));
    awaitTrue(() -> assertThat(good.told()).containsExactly("registered"));
    assertThat(slow.asked()).isEqualTo(1);
    assertThat(slow.told()).isEmpty();
  }

  @Test
  void asksAgainASocketThatDidNotAnswer() throws Exception {
    var _ = start(withInfoTimeout(Duration.ofMillis(50)));
    RegistryPlugin plugin = plugin("nic.sock", NIC).silent();
    awaitTrue(() -> assertThat(plugin.asked()).isGreaterThan(2));
    plugin.answersAgain();
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
  }

  @Test
  void takesAPluginOffWhenItsSocketIsGone() throws Exception {
    PluginWatcher watcher = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
    plugin.close();
    awaitTrue(
        () -> assertThat(handler.events).endsWith("deregister " + NIC + " " + socket("nic.sock")));
    assertThat(watcher.plugins().desired()).isEmpty();
    assertThat(watcher.plugins().actual()).isEmpty();
  }

  @Test
  void registersAgainWhatIsMadeAnewUnderItsName() throws Exception {
    var _ = start();
    RegistryPlugin first = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(first.told()).containsExactly("registered"));
    RegistryPlugin second = plugin(".next", NIC);
    Files.move(
        socket(".next"),
        socket("nic.sock"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    awaitTrue(() -> assertThat(second.told()).containsExactly("registered"));
    assertThat(handler.events)
        .containsSubsequence(
            "register " + NIC + " " + socket("nic.sock"),
            "deregister " + NIC + " " + socket("nic.sock"),
            "register " + NIC + " " + socket("nic.sock"));
  }

  @Test
  void aChangeOfItsModeMakesNoOtherSocketOfIt() throws Exception {
    var _ = start();
    RegistryPlugin plugin = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(plugin.told()).containsExactly("registered"));
    Files.setPosixFilePermissions(socket("nic.sock"), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createLink(socket(".link"), socket("nic.sock"));
    RegistryPlugin other = plugin("other.sock", "vendor.example/other");
    awaitTrue(() -> assertThat(other.told()).containsExactly("registered"));
    assertThat(plugin.asked()).isEqualTo(1);
  }

  @Test
  void asksNothingButSocketsWithoutADot() throws Exception {
    var _ = start();
    Files.writeString(socket("file.sock"), "not a socket");
    RegistryPlugin dotted = plugin(".hidden.sock", NIC);
    RegistryPlugin good = plugin("good.sock", "vendor.example/other");
    awaitTrue(() -> assertThat(good.told()).containsExactly("registered"));
    assertThat(dotted.asked()).isZero();
    assertThat(handler.events).hasSize(2);
  }

  @Test
  void looksIntoDirectoriesAlsoNewOnes() throws Exception {
    Files.createDirectories(socket("old"));
    var _ = start();
    Files.createDirectories(socket("new/deeper"));
    RegistryPlugin inOld = plugin("old/a.sock", "vendor.example/a");
    RegistryPlugin inNew = plugin("new/deeper/b.sock", "vendor.example/b");
    awaitTrue(() -> assertThat(inOld.told()).containsExactly("registered"));
    awaitTrue(() -> assertThat(inNew.told()).containsExactly("registered"));
  }

  @Test
  void entersADottedDirectoryThatWasThereBeforeAndNoneThatComes() throws Exception {
    Files.createDirectories(socket(".before"));
    var _ = start();
    RegistryPlugin entered = plugin(".before/a.sock", "vendor.example/a");
    awaitTrue(() -> assertThat(entered.told()).containsExactly("registered"));
    Files.createDirectories(socket(".after"));
    RegistryPlugin ignored = plugin(".after/b.sock", "vendor.example/b");
    RegistryPlugin good = plugin("good.sock", "vendor.example/c");
    awaitTrue(() -> assertThat(good.told()).containsExactly("registered"));
    assertThat(ignored.asked()).isZero();
  }

  @Test
  void aRegistryThatIsRemovedAndMadeAgainIsWatchedAgain() throws Exception {
    var _ = start();
    RegistryPlugin first = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(first.told()).containsExactly("registered"));
    first.close();
    Files.delete(registry());
    awaitTrue(() -> assertThat(handler.events).last().asString().startsWith("deregister"));
    Files.createDirectories(registry());
    RegistryPlugin second = plugin("nic.sock", NIC);
    awaitTrue(() -> assertThat(second.told()).containsExactly("registered"));
  }

  @Test
  void canBeClosedTwiceAndBeforeItsStart() {
    var watcher = new PluginWatcher(config(), Map.of(), InstantSource.system());
    watcher.close();
    watcher.close();
    assertThat(registry()).doesNotExist();
  }

  private PluginWatcherConfig config() {
    PluginWatcherConfig usual = PluginWatcherConfig.of(registry());
    return new PluginWatcherConfig(
        usual.directory(),
        Duration.ofMillis(50),
        usual.dialTimeout(),
        usual.infoTimeout(),
        usual.notifyTimeout(),
        Duration.ofMillis(20),
        Duration.ofMillis(200),
        usual.refused());
  }

  private PluginWatcherConfig withInfoTimeout(Duration timeout) {
    PluginWatcherConfig soon = config();
    return new PluginWatcherConfig(
        soon.directory(),
        soon.passEvery(),
        soon.dialTimeout(),
        timeout,
        soon.notifyTimeout(),
        soon.firstRetry(),
        soon.longestRetry(),
        soon.refused());
  }

  private PluginWatcher start() throws IOException {
    return start(config());
  }

  private PluginWatcher start(PluginWatcherConfig config) throws IOException {
    var watcher =
        new PluginWatcher(config, Map.of("DevicePlugin", handler), InstantSource.system());
    open.add(watcher);
    watcher.start();
    return watcher;
  }

  private RegistryPlugin plugin(String file, String name) throws IOException {
    return plugin(file, info("DevicePlugin", name).build());
  }

  private RegistryPlugin plugin(String file, PluginInfo info) throws IOException {
    RegistryPlugin plugin = RegistryPlugin.serve(socket(file), info);
    open.add(plugin);
    return plugin;
  }

  private static PluginInfo.Builder info(String type, String name) {
    return PluginInfo.newBuilder().setType(type).setName(name).addSupportedVersions("v1beta1");
  }

  private Path registry() {
    return dir.resolve("plugins_registry");
  }

  private Path socket(String file) {
    return registry().resolve(file);
  }

  private static void awaitTrue(ThrowingRunnable assertion) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
  }

  /// Takes every plugin, or refuses as it is told to.
  private static final class RecordingHandler implements PluginHandler {
    final List<String> events = new CopyOnWriteArrayList<>();
    volatile String invalid = "";
    volatile String refusal = "";

    @Override
    public void validate(String name, Path endpoint, List<String> versions) throws IOException {
      events.add("validate " + name + " " + endpoint + " " + versions);
      if (!invalid.isEmpty()) throw new IOException(invalid);
    }

    @Override
    public void register(String name, Path endpoint, List<String> versions) throws IOException {
      events.add("register " + name + " " + endpoint);
      if (!refusal.isEmpty()) throw new IOException(refusal);
    }

    @Override
    public void deregister(String name, Path endpoint) {
      events.add("deregister " + name + " " + endpoint);
    }
  }
}
