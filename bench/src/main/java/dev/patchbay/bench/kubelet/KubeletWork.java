package dev.patchbay.bench.kubelet;

import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.patchbay.rpc.UnixChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// One thing that a kubelet does. What leads to it does not count.
enum KubeletWork {
  /// Admission of a pod with one device of each resource; the pod before is gone.
  ADMIT("admit and allocate one device of each resource") {
    @Override
    Prepared prepare(KubeletStage stage, int number) throws IOException {
      stage.remove();
      stage.announce(1);
      return stage::admit;
    }
  },

  /// Hints for a pod with one device of each resource.
  HINTS("hints for one device of each resource") {
    @Override
    Prepared prepare(KubeletStage stage, int number) throws IOException {
      stage.announce(1);
      return stage::hints;
    }
  },

  /// The first list after a restart of the kubelet.
  LIST_ANEW("full list, all new to a restarted kubelet: sent to shown as allocatable") {
    @Override
    Prepared prepare(KubeletStage stage, int number) throws IOException {
      stage.restart();
      ListAndWatchResponse list = stage.list(stage.devices());
      return () -> stage.send(list, stage.devices());
    }
  },

  /// A list in which one device's health is another.
  LIST("full list, one health changed: sent to shown as allocatable") {
    @Override
    Prepared prepare(KubeletStage stage, int number) {
      int healthy = stage.devices() - (number % 2 == 0 ? 1 : 0);
      ListAndWatchResponse list = stage.list(healthy);
      return () -> stage.send(list, healthy);
    }
  },

  /// The PodResources service's List.
  POD_RESOURCES_LIST("PodResources List over the socket") {
    @Override
    Prepared prepare(KubeletStage stage, int number) throws IOException {
      return overSocket(stage, calls -> calls.list(ListPodResourcesRequest.getDefaultInstance()));
    }
  },

  /// The PodResources service's GetAllocatableResources.
  POD_RESOURCES_ALLOCATABLE("GetAllocatableResources over the socket") {
    @Override
    Prepared prepare(KubeletStage stage, int number) throws IOException {
      return overSocket(
          stage,
          calls -> calls.getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance()));
    }
  };

  /// The kubelet's PodResources takes no more calls than one in ten milliseconds.
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(15);

  private final String text;

  KubeletWork(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /// Work that can be done once.
  interface Prepared extends AutoCloseable {
    /// Does it, and says how many microseconds that took.
    long run() throws IOException;

    @Override
    default void close() {}
  }

  /// Does all that leads to it.
  ///
  /// @param number how often it was done before
  abstract Prepared prepare(KubeletStage stage, int number) throws IOException;

  /// Does it once.
  ///
  /// @return microseconds
  long sample(KubeletStage stage, int number) throws IOException {
    try (Prepared work = prepare(stage, number)) {
      return work.run();
    }
  }

  private interface Call {
    Object with(PodResourcesListerBlockingStub calls);
  }

  /// On a connection that is there already: the call before makes it.
  private static Prepared overSocket(KubeletStage stage, Call call) throws IOException {
    UnixChannel channel = stage.podResources();
    var calls = KubeletStage.calls(channel);
    LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    var _ = call.with(calls);
    LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    return new Prepared() {
      @Override
      public long run() {
        long begin = System.nanoTime();
        var _ = call.with(calls);
        return (System.nanoTime() - begin) / 1_000;
      }

      @Override
      public void close() {
        channel.close();
      }
    };
  }
}
