package dev.patchbay.kubelet.registration;

import dev.patchbay.kubelet.wire.ListedDevices;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/// The calls to a plugin, in one version of the API. Calls throw the `StatusRuntimeException` of
/// gRPC when the plugin refuses, is late or is gone.
sealed interface PluginCalls permits BetaCalls, AlphaCalls {
  /// What a plugin can do beside what all can.
  record Abilities(boolean preStart, boolean preference) {
    static final Abilities NONE = new Abilities(false, false);
  }

  Abilities abilities(Duration timeout);

  /// Opens the stream of lists. Returns at once.
  void listAndWatch(StreamObserver<ListedDevices> reader);

  /// Which of the available devices the plugin would give; more or fewer than were asked for, as it
  /// likes.
  Set<DeviceId> preferred(
      Collection<DeviceId> available, Collection<DeviceId> mustInclude, int size, Duration timeout);

  /// What a container needs for these devices.
  ///
  /// @throws IOException when the answer makes no sense
  ContainerEdits allocate(Collection<DeviceId> devices, Duration timeout) throws IOException;

  void preStart(Collection<DeviceId> devices, Duration timeout);
}
