package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// What arrived on ListAndWatch streams. Thread-safe.
public final class ListLog {
  private final List<Listed> all = new CopyOnWriteArrayList<>();
  private final Set<Reader> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger streams = new AtomicInteger();

  ListLog() {}

  /// One list on one stream.
  ///
  /// @param stream counted from 1 over all resources
  /// @param devices as sent, in the order sent
  public record Listed(String resource, String endpoint, int stream, List<Device> devices) {
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
      all.add(new Listed(resource, endpoint, stream, message.getDevicesList()));
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
