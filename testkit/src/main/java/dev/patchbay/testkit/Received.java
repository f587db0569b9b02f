package dev.patchbay.testkit;

import dev.patchbay.kubelet.registration.PluginConnection;
import dev.patchbay.kubelet.registration.PluginObserver;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What plugins said to a [TestKubelet] and what it said to them, oldest first, over all its
/// restarts. Thread-safe; each answer is a copy of what there is now.
public final class Received {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Registered> registrations = new ArrayList<>();
  private final List<Refused> refusals = new ArrayList<>();
  private final List<Listed> lists = new ArrayList<>();
  private final List<Asked> calls = new ArrayList<>();

  Received() {}

  /// A registration that was accepted, in either way to register.
  ///
  /// @param socket of the plugin
  /// @param api version of the device plugin API, `v1beta1`
  /// @param preStart whether the plugin answered that it wants PreStartContainer
  /// @param preference whether it answered that it has GetPreferredAllocation
  public record Registered(
      String resource, Path socket, String api, boolean preStart, boolean preference) {}

  /// A registration on `kubelet.sock` that was refused.
  ///
  /// @param endpoint as sent
  /// @param api as sent
  /// @param why what the plugin was told
  public record Refused(String resource, String endpoint, String api, String why) {}

  /// A full list.
  public record Listed(String resource, List<Device> devices) {
    public Listed {
      devices = List.copyOf(devices);
    }

    /// The ids and healths, `a=Healthy`, sorted.
    public List<String> healths() {
      return devices.stream().map(each -> each.id() + "=" + healthOf(each)).toList();
    }
  }

  /// A device that had another health in the list before.
  public record HealthChange(String device, String from, String to) {}

  /// A call to a plugin.
  ///
  /// @param call `GetPreferredAllocation`, `Allocate` or `PreStartContainer`
  /// @param devices ids, sorted
  public record Asked(String resource, String call, List<String> devices) {
    public Asked {
      devices = List.copyOf(devices);
    }
  }

  private static String healthOf(Device device) {
    return device.health().isHealthy() ? "Healthy" : "Unhealthy";
  }

  /// The accepted registrations of one resource.
  public List<Registered> registrations(String resource) {
    return read(registrations).stream().filter(each -> each.resource().equals(resource)).toList();
  }

  /// All accepted registrations.
  public List<Registered> registrations() {
    return read(registrations);
  }

  /// The registrations that were refused.
  public List<Refused> refusals() {
    return read(refusals);
  }

  /// The lists of one resource.
  public List<Listed> lists(String resource) {
    return read(lists).stream().filter(each -> each.resource().equals(resource)).toList();
  }

  /// The health changes of one resource, of devices that were in the list before.
  public List<HealthChange> healthChanges(String resource) {
    List<HealthChange> changes = new ArrayList<>();
    List<Device> before = List.of();
    for (Listed list : lists(resource)) {
      for (Device now : list.devices())
        before.stream()
            .filter(each -> each.id().equals(now.id()))
            .filter(each -> !healthOf(each).equals(healthOf(now)))
            .forEach(each ->
                changes.add(new HealthChange(now.id().value(), healthOf(each), healthOf(now))));
      before = list.devices();
    }
    return changes;
  }

  /// The calls to plugins of one resource.
  public List<Asked> calls(String resource) {
    return read(calls).stream().filter(each -> each.resource().equals(resource)).toList();
  }

  private <T> List<T> read(List<T> all) {
    lock.lock();
    try {
      return List.copyOf(all);
    } finally {
      lock.unlock();
    }
  }

  private <T> void add(List<T> all, T one) {
    lock.lock();
    try {
      all.add(one);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until what was received is as wanted.
  ///
  /// @return whether it was in that time
  boolean await(Predicate<Received> wanted, Duration atMost) throws InterruptedException {
    long nanos = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (!wanted.test(this)) {
        if (nanos <= 0) return false;
        nanos = changed.awaitNanos(nanos);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return Stream.of(registrations(), refusals(), read(lists), read(calls))
        .flatMap(List::stream)
        .map(Object::toString)
        .reduce("", (all, one) -> all + "\n  " + one);
  }

  /// Sees all of it and does with registrations what the test wants.
  final class Observer implements PluginObserver {
    private Duration delay = Duration.ZERO;
    private Optional<String> refusal = Optional.empty();
    private boolean ended;

    /// Registrations wait so long, those too that wait already.
    void delay(Duration newDelay) {
      order(() -> delay = newDelay);
    }

    /// Registrations are refused with this text from now on, or not any more.
    void refuse(Optional<String> why) {
      order(() -> refusal = why);
    }

    /// Lets go of registrations that wait.
    void end() {
      order(() -> ended = true);
    }

    private void order(Runnable change) {
      lock.lock();
      try {
        change.run();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    /// One with the same orders, for the next run of the kubelet.
    Observer next() {
      var next = new Observer();
      lock.lock();
      try {
        next.delay = delay;
        next.refusal = refusal;
      } finally {
        lock.unlock();
      }
      return next;
    }

    @Override
    public void arrived(Registration registration) throws IOException, InterruptedException {
      long since = System.nanoTime();
      Optional<String> why;
      lock.lockInterruptibly();
      try {
        long left = delay.toNanos();
        while (!ended && left > 0) {
          var _ = changed.awaitNanos(left);
          left = delay.toNanos() - (System.nanoTime() - since);
        }
        why = refusal;
      } finally {
        lock.unlock();
      }
      if (why.isPresent()) throw new IOException(why.get());
    }

    @Override
    public void refused(Registration registration, String why) {
      add(
          refusals,
          new Refused(
              registration.resource(), registration.endpoint(), registration.version(), why));
    }

    @Override
    public void connected(PluginConnection connection, Path socket) {
      add(
          registrations,
          new Registered(
              connection.resource().toString(),
              socket,
              connection.api().version(),
              connection.wantsPreStart(),
              connection.hasPreference()));
    }

    @Override
    public void listed(PluginConnection connection, ListedDevices list) {
      add(lists, new Listed(connection.resource().toString(), List.copyOf(list.devices())));
    }

    @Override
    public void asking(PluginConnection connection, Call call, Collection<DeviceId> devices) {
      add(
          calls,
          new Asked(
              connection.resource().toString(),
              nameOf(call),
              devices.stream().map(DeviceId::value).sorted().toList()));
    }

    /// `PRE_START_CONTAINER` as the API says it: `PreStartContainer`.
    private static String nameOf(Call call) {
      var name = new StringBuilder();
      for (String word : call.name().split("_", -1))
        name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
      return name.toString();
    }
  }
}
