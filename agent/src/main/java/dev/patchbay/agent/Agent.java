package dev.patchbay.agent;

import dev.patchbay.agent.AgentHealth.Sign;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.host.HostRoot;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.PluginHost;
import dev.patchbay.sdk.PluginHostConfig;
import dev.patchbay.sdk.PluginState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/// All drivers of a configuration at work against one kubelet. Starts at once, with or without a
/// kubelet, and never ends by itself. Thread-safe.
public final class Agent implements AutoCloseable {
  private static final Duration FOR_EVER = Duration.ofDays(100_000);

  private final HostRoot hostRoot;
  private final Path kubeletDir;
  private final InstantSource clock;
  private final ReentrantLock reloading = new ReentrantLock();
  private final Map<String, DriverLoop> loops = new LinkedHashMap<>();
  private final LoopPulse reload;

  /// The loops as they are between two reloads, for those who must not wait for one.
  private volatile List<DriverLoop> running = List.of();

  private volatile PluginHostConfig registration;
  private AgentConfig config;
  private PluginHost plugins;
  private boolean closed;

  private Agent(HostRoot hostRoot, Path kubeletDir, AgentConfig config, InstantSource clock) {
    this.hostRoot = hostRoot;
    this.kubeletDir = kubeletDir;
    this.clock = clock;
    this.config = config;
    registration = PluginHostConfig.of(kubeletDir);
    reload = new LoopPulse(clock);
    plugins = newPluginHost(config);
  }

  private PluginHost newPluginHost(AgentConfig from) {
    registration = PluginHostConfig.of(kubeletDir).with(from.registration());
    return PluginHost.start(registration);
  }

  /// Starts all drivers. Returns at once.
  ///
  /// @param hostRoot the machine whose devices are offered
  /// @param kubeletDir the kubelet's directory, `/var/lib/kubelet`; need not exist
  public static Agent start(
      HostRoot hostRoot, Path kubeletDir, AgentConfig config, InstantSource clock) {
    var agent = new Agent(hostRoot, kubeletDir, config, clock);
    agent.apply(config);
    return agent;
  }

  /// Goes by another configuration from now on. What it does not change is not touched: a driver
  /// with the same section keeps running, a resource with the same devices is not sent again. Other
  /// ways to register make all resources register anew.
  public void apply(AgentConfig next) {
    reloading.lock();
    try {
      if (closed) return;
      reload.works("applying a configuration");
      if (!next.registration().equals(config.registration())) {
        endLoops(Set.copyOf(loops.keySet()));
        plugins.close();
        plugins = newPluginHost(next);
      }
      config = next;
      applyToLoops(BuiltInDrivers.of(next.drivers(), hostRoot));
      running = List.copyOf(loops.values());
    } finally {
      reload.rests(FOR_EVER);
      reloading.unlock();
    }
  }

  private void applyToLoops(List<BuiltInDrivers.Enabled> wanted) {
    Set<String> gone = new HashSet<>(loops.keySet());
    wanted.forEach(each -> gone.remove(each.driver().name()));
    // First what goes, so that a resource can move from one driver to another.
    endLoops(gone);
    for (BuiltInDrivers.Enabled each : wanted) {
      var settings = DriverSettings.of(each, config);
      DriverLoop running = loops.get(each.driver().name());
      if (running == null)
        loops.put(each.driver().name(), DriverLoop.start(plugins, clock, settings));
      else running.apply(settings);
    }
  }

  private void endLoops(Set<String> names) {
    running =
        loops.entrySet().stream()
            .filter(it -> !names.contains(it.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    for (String name : names) {
      DriverLoop loop = loops.remove(name);
      if (loop != null) loop.close();
    }
  }

  /// How it is. Never waits for a driver, a reload or the kubelet.
  public AgentHealth health() {
    List<Sign> loops = new ArrayList<>();
    List<Sign> resources = new ArrayList<>();
    for (DriverLoop loop : running) {
      loops.addAll(loop.vitals());
      resources.addAll(loop.readiness());
    }
    loops.addAll(KubeletDirectories.removed(registration));
    reload.trouble().ifPresent(trouble -> loops.add(Sign.bad("reload", trouble)));
    return new AgentHealth(loops, resources);
  }

  /// Where each resource stands with the kubelet.
  public Map<ResourceName, PluginState> resources() {
    reloading.lock();
    try {
      Map<ResourceName, PluginState> all = new TreeMap<>();
      loops
          .values()
          .forEach(loop -> loop.served().forEach((name, it) -> all.put(name, it.state())));
      return all;
    } finally {
      reloading.unlock();
    }
  }

  /// Withdraws all resources. May be called twice.
  @Override
  public void close() {
    reloading.lock();
    try {
      if (closed) return;
      closed = true;
      loops.values().forEach(DriverLoop::stop);
      plugins.close();
    } finally {
      reloading.unlock();
    }
  }
}
