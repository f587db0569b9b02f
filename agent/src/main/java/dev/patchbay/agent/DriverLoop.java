package dev.patchbay.agent;

import dev.patchbay.agent.AgentHealth.Sign;
import dev.patchbay.drivers.DeviceHistory;
import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.OfferedDevice;
import dev.patchbay.drivers.Scan;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginState;
import dev.patchbay.sdk.ServedPlugin;
import dev.patchbay.watch.PathWatch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// The life of one driver: look at the host, show what is there, wait until something may have
/// changed. Everything happens on one thread of its own, so that a driver that hangs or fails stops
/// no other.
final class DriverLoop implements AutoCloseable {
  private static final Duration FAILED_RETRY = Duration.ofSeconds(5);

  /// A resource and its life on the SDK's side.
  private record Served(OfferedResource resource, ServedPlugin plugin) {}

  private final PluginHost host;
  private final InstantSource clock;
  private final DriverNews news;
  private final PathWatch watch = PathWatch.open(PathWatch.Targets.ofDirectories(Set.of()));
  private final Thread thread;
  private final Map<ResourceName, Served> served = new ConcurrentHashMap<>();
  private final Map<ResourceName, String> notServed = new ConcurrentHashMap<>();
  private final LoopPulse pulse;
  private volatile DriverSettings settings;
  private volatile boolean closed;

  /// Why it has not found out yet what there is to offer; empty when it has.
  private volatile String unknown = "has not looked at the host yet";

  // Of the loop's thread alone.
  private DeviceHistory history = DeviceHistory.EMPTY;
  private Driver lookedWith;
  private boolean failed;

  private DriverLoop(PluginHost host, InstantSource clock, DriverSettings settings) {
    this.host = host;
    this.clock = clock;
    this.settings = settings;
    pulse = new LoopPulse(clock);
    lookedWith = settings.enabled().driver();
    news = new DriverNews(lookedWith.name());
    thread = Thread.ofVirtual().name("patchbay-driver-" + lookedWith.name()).unstarted(this::run);
  }

  static DriverLoop start(PluginHost host, InstantSource clock, DriverSettings settings) {
    var loop = new DriverLoop(host, clock, settings);
    loop.thread.start();
    return loop;
  }

  /// Goes by other settings from now on.
  void apply(DriverSettings next) {
    settings = next.keepingDriverOf(settings);
    watch.wake();
  }

  /// The resources that it serves now.
  Map<ResourceName, ServedPlugin> served() {
    Map<ResourceName, ServedPlugin> all = new java.util.TreeMap<>();
    served.forEach((name, each) -> all.put(name, each.plugin()));
    return all;
  }

  /// Whether this loop and the registrations of its resources do their work.
  List<Sign> vitals() {
    List<Sign> signs = new ArrayList<>();
    String of = "driver " + settings.enabled().driver().name();
    String trouble =
        thread.isAlive() || closed ? pulse.trouble().orElse("") : "its thread has ended";
    signs.add(new Sign(of, trouble.isEmpty(), trouble));
    served()
        .forEach((name, plugin) -> {
          // One that was withdrawn meanwhile is closed and no longer served.
          boolean ended = plugin.state() instanceof PluginState.Closed && served.containsKey(name);
          if (ended) signs.add(Sign.bad("registration of " + name, "its thread has ended"));
        });
    return signs;
  }

  /// Whether it knows what there is to offer, and the kubelet knows it too.
  List<Sign> readiness() {
    List<Sign> signs = new ArrayList<>();
    if (!unknown.isEmpty())
      signs.add(Sign.bad("driver " + settings.enabled().driver().name(), unknown));
    notServed.forEach((name, why) -> signs.add(Sign.bad("resource " + name, why)));
    served().forEach((name, plugin) -> signs.add(signOf("resource " + name, plugin.state())));
    return signs;
  }

  private static Sign signOf(String of, PluginState state) {
    return switch (state) {
      case PluginState.Listed _ -> Sign.good(of, "registered");
      case PluginState.Registered _ ->
          Sign.bad(of, "registered, but the kubelet has not asked for its devices yet");
      case PluginState.WaitingForKubelet waiting ->
          Sign.bad(of, "waiting for the kubelet: " + waiting.reason());
      case PluginState.WaitingForDevices _ -> Sign.bad(of, "its devices are not known yet");
      case PluginState.Closed _ -> Sign.bad(of, "withdrawn");
    };
  }

  private void run() {
    try {
      while (!closed) {
        DriverSettings now = settings;
        pulse.works("looking at the host");
        look(now);
        Duration rest = untilNextLook(now);
        pulse.rests(rest);
        watch.await(rest);
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void look(DriverSettings now) {
    Driver driver = now.enabled().driver();
    try {
      Scan scan = driver.scan();
      if (!driver.equals(lookedWith)) history = history.within(scan);
      lookedWith = driver;
      history = history.after(scan, clock.instant(), now.patience());
      SequencedMap<ResourceName, List<OfferedDevice>> offered =
          now.withoutThoseOutOfService(history.offered());
      news.looked(scan, offered);
      show(driver, offered);
      watch.retarget(PathWatch.Targets.ofDirectories(driver.watchedDirectories()));
      failed = false;
      unknown = "";
    } catch (Exception e) {
      failed = true;
      if (!unknown.isEmpty()) unknown = "fails: " + e;
      news.failed(e);
    }
  }

  private void show(Driver driver, SequencedMap<ResourceName, List<OfferedDevice>> offered) {
    offered.forEach((name, devices) -> {
      Served before = served.get(name);
      if (before != null) before.resource().show(driver, devices);
      else serve(name, new OfferedResource(name, driver, devices));
    });
    withdraw(name -> !offered.containsKey(name));
    notServed.keySet().retainAll(offered.keySet());
  }

  private void serve(ResourceName name, OfferedResource resource) {
    try {
      served.put(name, new Served(resource, host.serve(name, resource)));
      notServed.remove(name);
    } catch (IllegalStateException e) {
      notServed.put(name, String.valueOf(e.getMessage()));
      news.notServed(name, e);
    }
  }

  private void withdraw(Predicate<ResourceName> which) {
    Set<ResourceName> names = new HashSet<>(served.keySet());
    names.removeIf(which.negate());
    for (ResourceName name : names) {
      Served gone = served.remove(name);
      if (gone != null) gone.plugin().close();
    }
  }

  private Duration untilNextLook(DriverSettings now) {
    Duration longest = now.rescanEvery();
    if (failed && FAILED_RETRY.compareTo(longest) < 0) longest = FAILED_RETRY;
    Instant instant = clock.instant();
    Duration change =
        history.nextChange(now.patience()).map(at -> Duration.between(instant, at)).orElse(longest);
    if (change.isNegative()) change = Duration.ZERO;
    return change.compareTo(longest) < 0 ? change : longest;
  }

  /// Ends the loop; its resources stay. May be called twice.
  void stop() {
    closed = true;
    watch.close();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends the loop and withdraws its resources. May be called twice.
  @Override
  public void close() {
    stop();
    withdraw(_ -> true);
  }
}
