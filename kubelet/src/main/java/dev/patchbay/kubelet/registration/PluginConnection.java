package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.registration.PluginObserver.Call;
import dev.patchbay.kubelet.wire.Excerpt;
import dev.patchbay.kubelet.wire.GoStatus;
import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;

/// The connection to one plugin, from its registration until its list's stream ends.
public final class PluginConnection implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final Plugin plugin;
  private final UnixChannel channel;
  private final PluginCalls calls;
  private final PluginCalls.Abilities abilities;
  private final Timeouts timeouts;
  private final PluginObserver observer;

  private PluginConnection(
      Plugin plugin,
      UnixChannel channel,
      PluginCalls calls,
      PluginCalls.Abilities abilities,
      Timeouts timeouts,
      PluginObserver observer) {
    this.plugin = plugin;
    this.channel = channel;
    this.calls = calls;
    this.abilities = abilities;
    this.timeouts = timeouts;
    this.observer = observer;
  }

  /// Who is connected.
  ///
  /// @param number of the connection, never used twice
  record Plugin(long number, ResourceName resource, Path socket, PluginApi api) {}

  /// What becomes of a plugin's stream.
  public interface Listener {
    /// A full list arrived.
    void listed(PluginConnection connection, ListedDevices list);

    /// The stream ended, for whatever reason; nothing follows.
    void ended(PluginConnection connection, String why);
  }

  /// Connects to a plugin and asks for its options. A plugin may register first and open its socket
  /// then.
  static PluginConnection open(
      Transport transport, Plugin plugin, Timeouts timeouts, PluginObserver observer)
      throws IOException, InterruptedException {
    UnixChannel channel = transport.connect(plugin.socket());
    PluginCalls calls =
        plugin.api().isAlpha()
            ? new AlphaCalls(channel.grpc(), plugin.api())
            : new BetaCalls(channel.grpc());
    try {
      try {
        channel.awaitListener(timeouts.dial());
      } catch (IOException e) {
        throw new IOException("failed to dial device plugin: " + e.getMessage(), e);
      }
      var abilities = calls.abilities(timeouts.dial());
      return new PluginConnection(plugin, channel, calls, abilities, timeouts, observer);
    } catch (StatusRuntimeException e) {
      channel.close();
      throw new PluginRefusal("failed to get device plugin options: ", e);
    } catch (IOException | InterruptedException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// The connection's number.
  public long number() {
    return plugin.number();
  }

  /// The resource that the plugin registered.
  public ResourceName resource() {
    return plugin.resource();
  }

  /// The API that the plugin speaks.
  public PluginApi api() {
    return plugin.api();
  }

  /// Whether the plugin wants to be asked which devices it prefers to give.
  public boolean hasPreference() {
    return abilities.preference();
  }

  /// Whether the plugin wants to be called before each start of a container.
  public boolean wantsPreStart() {
    return abilities.preStart();
  }

  /// Starts to read the list. Returns at once.
  void watch(Listener listener) {
    // A call made inside the Register call would end with it.
    Context.ROOT.run(() -> calls.listAndWatch(new ListReader(listener)));
  }

  /// Which of the available devices the plugin would give; more or fewer than were asked for, as it
  /// likes.
  public Set<DeviceId> preferred(
      Collection<DeviceId> available, Collection<DeviceId> mustInclude, int size)
      throws IOException {
    observer.asking(this, Call.GET_PREFERRED_ALLOCATION, available);
    try {
      return calls.preferred(available, mustInclude, size, timeouts.call());
    } catch (StatusRuntimeException e) {
      throw new PluginRefusal("device plugin GetPreferredAllocation rpc failed with err: ", e);
    }
  }

  /// What a container needs for these devices.
  public ContainerEdits allocate(Collection<DeviceId> devices) throws IOException {
    observer.asking(this, Call.ALLOCATE, devices);
    try {
      return calls.allocate(devices, timeouts.call());
    } catch (StatusRuntimeException e) {
      // The kubelet waits for ever and so has no words for this.
      boolean late = e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED;
      throw new PluginRefusal(
          late
              ? "device plugin of %s did not answer Allocate within %s: "
                  .formatted(resource(), timeouts.call())
              : "",
          e);
    }
  }

  /// Lets the plugin prepare the devices right before a container starts.
  public void preStart(Collection<DeviceId> devices) throws IOException {
    observer.asking(this, Call.PRE_START_CONTAINER, devices);
    try {
      calls.preStart(devices, timeouts.preStart());
    } catch (StatusRuntimeException e) {
      throw new PluginRefusal("device plugin PreStartContainer rpc failed with err: ", e);
    }
  }

  @Override
  public void close() {
    channel.close();
  }

  private final class ListReader implements StreamObserver<ListedDevices> {
    private final Listener listener;

    ListReader(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onNext(ListedDevices list) {
      for (String problem : list.problems())
        LOG.log(
            System.Logger.Level.WARNING,
            "odd list resource=" + resource() + " problem=" + Excerpt.line(problem));
      observer.listed(PluginConnection.this, list);
      listener.listed(PluginConnection.this, list);
    }

    @Override
    public void onError(Throwable failure) {
      listener.ended(
          PluginConnection.this,
          failure instanceof StatusRuntimeException status
              ? GoStatus.text(status)
              : failure.toString());
    }

    @Override
    public void onCompleted() {
      listener.ended(PluginConnection.this, "the plugin ended the stream");
    }
  }
}
