package dev.patchbay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.agent.AgentHealth.Sign;
import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.Device;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.testkit.ScriptedKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One driver's fault is no other's.
@Timeout(60)
final class DriverLoopTest {
  private final CountDownLatch release = new CountDownLatch(1);
  private Path dir = Path.of("/nonexistent");
  private ScriptedKubelet kubelet = ScriptedKubelet.in(dir);
  private PluginHost plugins;
  private volatile Looked answer = () -> new Scan(new LinkedHashMap<>(), List.of(), List.of());

  @BeforeEach
  void start() throws IOException {
    dir = Files.createTempDirectory(Path.of("/tmp"), "pb");
    kubelet = ScriptedKubelet.in(dir).start();
    plugins = PluginHost.start(PluginHostConfig.of(dir));
  }

  @AfterEach
  void end() throws IOException {
    release.countDown();
    plugins.close();
    kubelet.stopAndRemoveDirectory();
    kubelet.close();
    Files.delete(dir);
  }

  @Test
  void aDriverThatThrowsStopsNoOther() {
    try (var _ =
            loop(
                "bad",
                () -> {
                  throw new IllegalStateException("broken on purpose");
                });
        var _ = loop("good", () -> found("a.b/good", Device.healthy("d")))) {
      awaitNewest("a.b/good", "d=Healthy");
    }
  }

  @Test
  void aDriverThatHangsStopsNoOther() {
    try (var _ =
            loop(
                "hanging",
                () -> {
                  release.await();
                  return found("a.b/late", Device.healthy("d"));
                });
        var _ = loop("good", () -> found("a.b/good", Device.healthy("d")))) {
      awaitNewest("a.b/good", "d=Healthy");
      release.countDown();
      awaitNewest("a.b/late", "d=Healthy");
    }
  }

  @Test
  void aDriverThatFailsLaterKeepsItsLastList() throws Exception {
    answer = () -> found("a.b/c", Device.healthy("d"));
    var failed = new CountDownLatch(1);
    try (var loop = loop("changing", () -> answer.scan())) {
      awaitNewest("a.b/c", "d=Healthy");

      answer =
          () -> {
            failed.countDown();
            throw new IOException("no longer readable");
          };
      loop.apply(settings("changing", () -> answer.scan()));
      failed.await();

      assertThat(kubelet.lists().newest("a.b/c")).containsExactly("d=Healthy");
      answer = () -> found("a.b/c", Device.unhealthy("d", "well then"));
      loop.apply(settings("changing", () -> answer.scan()));
      awaitNewest("a.b/c", "d=Unhealthy");
    }
  }

  @Test
  void aResourceOfTwoDriversIsOfferedByOneAndTheRestOfTheOtherGoesOn() {
    try (var _ = loop("first", () -> found("a.b/same", Device.healthy("one")))) {
      awaitNewest("a.b/same", "one=Healthy");
      try (var _ =
          loop(
              "second",
              () -> {
                Scan both = found("a.b/same", Device.healthy("two"));
                SequencedMap<ResourceName, List<OfferedDevice>> all =
                    new LinkedHashMap<>(both.resources());
                all.putAll(found("a.b/own", Device.healthy("three")).resources());
                return new Scan(all, List.of(), List.of());
              })) {
        awaitNewest("a.b/own", "three=Healthy");
        assertThat(kubelet.lists().newest("a.b/same")).containsExactly("one=Healthy");
      }
    }
  }

  @Test
  void aDriverThatHangsIsNoticedAfterAWhile() throws Exception {
    var looking = new CountDownLatch(1);
    var now = new AtomicReference<>(Instant.EPOCH);
    try (var loop =
        DriverLoop.start(
            plugins,
            now::get,
            settings(
                "hanging",
                () -> {
                  looking.countDown();
                  release.await();
                  return found("a.b/late", Device.healthy("d"));
                }))) {
      looking.await();
      assertThat(loop.vitals()).containsExactly(Sign.good("driver hanging", ""));
      assertThat(loop.readiness())
          .containsExactly(Sign.bad("driver hanging", "has not looked at the host yet"));

      now.set(Instant.EPOCH.plus(LoopPulse.WORK_AT_MOST).plusSeconds(1));
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(loop.vitals())
                  .containsExactly(
                      Sign.bad(
                          "driver hanging",
                          "looking at the host for 301 s; at most 300 s are usual")));
      release.countDown();
      awaitNewest("a.b/late", "d=Healthy");
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(loop.vitals()).containsExactly(Sign.good("driver hanging", "")));
    }
  }

  @Test
  void aDriverWhoseThreadDiesIsNoticedAndItsResourcesStay() {
    answer = () -> found("a.b/c", Device.healthy("d"));
    try (var loop = loop("dying", () -> answer.scan())) {
      awaitNewest("a.b/c", "d=Healthy");

      answer =
          () -> {
            throw new LinkageError("broken on purpose");
          };
      loop.apply(settings("dying", () -> answer.scan()));

      Awaitility.await()
          .dontCatchUncaughtExceptions()
          .untilAsserted(() ->
              assertThat(loop.vitals())
                  .containsExactly(Sign.bad("driver dying", "its thread has ended")));
      assertThat(kubelet.lists().newest("a.b/c")).containsExactly("d=Healthy");
    }
  }

  @Test
  void aDriverThatNeverWorkedIsNotReady() {
    try (var loop =
        loop(
            "bad",
            () -> {
              throw new IOException("no such bus");
            })) {
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(loop.readiness())
                  .containsExactly(
                      Sign.bad("driver bad", "fails: java.io.IOException: no such bus")));
      assertThat(loop.vitals()).containsExactly(Sign.good("driver bad", ""));
    }
  }

  private interface Looked {
    Scan scan() throws Exception;
  }

  /// A driver that finds what a test says.
  private record Scripted(String name, Looked looked) implements Driver {
    @Override
    public Scan scan() throws Exception {
      return looked.scan();
    }

    @Override
    public Set<Path> watchedDirectories() {
      return Set.of();
    }

    @Override
    public ContainerEdits edits(ResourceName resource, List<OfferedDevice> granted) {
      return ContainerEdits.NONE;
    }
  }

  private record Section(String name) {}

  private DriverLoop loop(String name, Looked looked) {
    return DriverLoop.start(plugins, InstantSource.system(), settings(name, looked));
  }

  private static DriverSettings settings(String name, Looked looked) {
    return new DriverSettings(
        new BuiltInDrivers.Enabled(new Section(name), new Scripted(name, looked)),
        Patience.USUAL,
        List.of(),
        Duration.ofMinutes(1));
  }

  private static Scan found(String resource, Device device) {
    SequencedMap<ResourceName, List<OfferedDevice>> resources = new LinkedHashMap<>();
    resources.put(
        ResourceName.of(resource),
        List.of(new OfferedDevice(device, List.of(), ContainerEdits.NONE)));
    return new Scan(resources, List.of(), List.of());
  }

  private void awaitNewest(String resource, String... healths) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(kubelet.lists().newest(resource)).containsExactly(healths));
  }
}
