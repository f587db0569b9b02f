package dev.patchbay.sdk;

import com.google.protobuf.MessageLite;
import dev.patchbay.model.DeviceList;
import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// The open ListAndWatch streams of one endpoint: each gets the newest full list first and each
/// later one once.
final class ListStreams implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.sdk");
  private static final Duration LOOK_AROUND = Duration.ofHours(1);

  private final ResourceName resource;
  private final DeviceFeed feed;
  private final Runnable onChange;
  private final Set<Stream<?>> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong opened = new AtomicLong();

  /// @param onChange told when a stream opens or ends
  ListStreams(ResourceName resource, DeviceFeed feed, Runnable onChange) {
    this.resource = resource;
    this.feed = feed;
    this.onChange = onChange;
  }

  /// How many streams are open now.
  int size() {
    return open.size();
  }

  /// How many streams were opened ever.
  long opened() {
    return opened.get();
  }

  /// Serves a stream until its reader goes away or this closes. Returns at once.
  ///
  /// @param message a list in the words of the reader's version of the API
  <M extends MessageLite> void serve(
      ServerCallStreamObserver<M> reader, Function<DeviceList, M> message) {
    var stream = new Stream<>(reader, message);
    open.add(stream);
    opened.incrementAndGet();
    reader.setOnCancelHandler(stream::end);
    reader.setOnReadyHandler(stream.ready::wake);
    stream.thread.start();
    onChange.run();
  }

  @Override
  public void close() {
    open.forEach(Stream::end);
  }

  /// One stream and the thread that writes to it.
  private final class Stream<M extends MessageLite> {
    private final ServerCallStreamObserver<M> reader;
    private final Function<DeviceList, M> message;
    private final Signal ready = new Signal();
    private final Thread thread =
        Thread.ofVirtual().name("patchbay-list-", 0).unstarted(this::write);

    Stream(ServerCallStreamObserver<M> reader, Function<DeviceList, M> message) {
      this.reader = reader;
      this.message = message;
    }

    void end() {
      thread.interrupt();
    }

    private void write() {
      try {
        long sent = 0;
        while (!reader.isCancelled()) {
          var newest = feed.awaitNewerThan(sent, LOOK_AROUND);
          if (newest.isEmpty()) continue;
          // A reader that is slow gets the newest list when it is ready again, not all those
          // between.
          while (!reader.isReady() && !reader.isCancelled()) ready.await(LOOK_AROUND);
          var version = feed.latest().orElse(newest.get());
          send(version.list());
          sent = version.number();
        }
      } catch (InterruptedException e) {
        if (!reader.isCancelled()) complete();
      } catch (IllegalStateException e) {
        // The call ended between the question whether it had and the answer to it.
        LOG.log(
            System.Logger.Level.DEBUG,
            "list stream ended resource=" + resource + " reason=" + e.getMessage());
      } finally {
        open.remove(this);
        onChange.run();
      }
    }

    private void send(DeviceList list) {
      M translated = message.apply(list);
      int bytes = translated.getSerializedSize();
      if (bytes > Transport.MAX_MESSAGE_BYTES) {
        LOG.log(
            System.Logger.Level.ERROR,
            "list not sent, larger than a kubelet accepts resource={0} devices={1} bytes={2} most={3}",
            resource,
            String.valueOf(list.size()),
            String.valueOf(bytes),
            String.valueOf(Transport.MAX_MESSAGE_BYTES));
        return;
      }
      reader.onNext(translated);
      LOG.log(
          System.Logger.Level.DEBUG,
          "list sent resource={0} devices={1} healthy={2}",
          resource,
          String.valueOf(list.size()),
          String.valueOf(list.healthyIds().size()));
    }

    private void complete() {
      try {
        reader.onCompleted();
      } catch (IllegalStateException e) {
        LOG.log(System.Logger.Level.DEBUG, "list stream was closed resource=" + resource);
      }
    }
  }
}
