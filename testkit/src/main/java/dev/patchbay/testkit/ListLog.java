package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// What arrived on ListAndWatch streams. Thread-safe.
public final class ListLog {
  private final List<Listed> all = new CopyOnWriteArrayList<>();
  private final Set<Reader> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger streams = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();

  ListLog() {}

  /// One list on one stream.
  ///
  /// @param stream counted from 1 over all resources
  /// @param devices as sent, in the order sent
  /// @param at from [System#nanoTime]
  public record Listed(
      String resource, String endpoint, int stream, List<Device> devices, long at) {
    public Listed {
      devices = List.copyOf(devices);
    }

    /// The ids and healths, `a=Healthy`, sorted.
    public List<String> healths() {
      return devices.stream().map(each -> each.getID() + "=" + each.getHealth()).sorted().toList();
    }
  }

  /// Opens a stream and reads it until it ends. Returns at once.
  void read(String resource, String endpoint, Channel channel) {
    var reader = new Reader(resource, endpoint, streams.incrementAndGet());
    open.add(reader);
    // A call made inside a call would end with it.
    Context.ROOT.run(
        () -> DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), reader));
  }

  /// The lists of one resource in the order of their arrival.
  public List<Listed> of(String resource) {
    return all.stream().filter(each -> each.resource().equals(resource)).toList();
  }

  /// The ids and healths of the newest list, `a=Healthy`, sorted; empty when none arrived.
  public List<String> newest(String resource) {
    List<Listed> lists = of(resource);
    return lists.isEmpty() ? List.of() : lists.getLast().healths();
  }

  /// The first list of one resource, in the order of arrival, that is as wanted; waits for it.
  ///
  /// @return empty when none arrived in that time
  public Optional<Listed> await(String resource, Predicate<Listed> wanted, Duration atMost)
      throws InterruptedException {
    long left = atMost.toNanos();
    for (int next = 0; ; next++) {
      lock.lockInterruptibly();
      try {
        while (next == all.size()) {
          if (left <= 0) return Optional.empty();
          left = arrived.awaitNanos(left);
        }
      } finally {
        lock.unlock();
      }
      Listed list = all.get(next);
      if (list.resource().equals(resource) && wanted.test(list)) return Optional.of(list);
    }
  }

  /// How many streams were opened so far, of all resources: the number of the newest.
  public int streams() {
    return streams.get();
  }

  /// How many streams of one resource are open now.
  public int openStreams(String resource) {
    return (int) open.stream().filter(each -> each.resource.equals(resource)).count();
  }

  @Override
  public String toString() {
    return all.size() + " lists on " + streams + " streams, of which open: " + open.size();
  }

  private final class Reader implements StreamObserver<ListAndWatchResponse> {
    private final String resource;
    private final String endpoint;
    private final int stream;

    Reader(String resource, String endpoint, int stream) {
      this.resource = resource;
      this.endpoint = endpoint;
      this.stream = stream;
    }

    @Override
    public void onNext(ListAndWatchResponse message) {
      long at = System.nanoTime();
      lock.lock();
      try {
        all.add(new Listed(resource, endpoint, stream, message.getDevicesList(), at));
        arrived.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void onError(Throwable failure) {
      open.remove(this);
    }

    @Override
    public void onCompleted() {
      open.remove(this);
    }
  }
}
