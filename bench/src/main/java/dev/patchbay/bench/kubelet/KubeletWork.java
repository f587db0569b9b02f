package dev.patchbay.bench.kubelet;

import dev.patchbay.proto.podresources.v1.AllocatableResourcesRequest;
import dev.patchbay.proto.podresources.v1.ListPodResourcesRequest;
import dev.patchbay.proto.podresources.v1.PodResourcesListerGrpc;
import dev.patchbay.rpc.Transport;
import dev.patchbay.rpc.UnixChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// One thing that a kubelet does, done until there are samples enough.
enum KubeletWork {
  /// Admission of a pod with one device of each resource; the pod before is gone.
  ADMIT("admit and allocate one device of each resource") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      long micros = stage.admit(1);
      stage.remove();
      return micros;
    }
  },

  /// Hints for a pod with one device of each resource.
  HINTS("hints for one device of each resource") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      return stage.hints();
    }
  },

  /// The first list after a restart of the kubelet.
  LIST_ANEW("full list, all new to a restarted kubelet: sent to shown as allocatable") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      return stage.listAnew();
    }
  },

  /// A list in which one device's health is another.
  LIST("full list, one health changed: sent to shown as allocatable") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      return stage.listAgain(number % 2 == 1);
    }
  },

  /// The PodResources service's List.
  POD_RESOURCES_LIST("PodResources List over the socket") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      return overSocket(
          stage,
          stub -> stub.list(ListPodResourcesRequest.getDefaultInstance()).getSerializedSize());
    }
  },

  /// The PodResources service's GetAllocatableResources.
  POD_RESOURCES_ALLOCATABLE("GetAllocatableResources over the socket") {
    @Override
    long sample(KubeletStage stage, int number) throws IOException {
      return overSocket(
          stage,
          stub ->
              stub.getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
                  .getSerializedSize());
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

  /// Does it once.
  ///
  /// @return microseconds
  abstract long sample(KubeletStage stage, int number) throws IOException;

  private interface Call {
    int with(PodResourcesListerGrpc.PodResourcesListerBlockingStub stub);
  }

  private static long overSocket(KubeletStage stage, Call call) throws IOException {
    LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
    try (Transport transport = Transport.open();
        UnixChannel channel = transport.connect(stage.podResources())) {
      var stub = PodResourcesListerGrpc.newBlockingStub(channel.grpc());
      call.with(stub);
      LockSupport.parkNanos(BETWEEN_CALLS.toNanos());
      long begin = System.nanoTime();
      call.with(stub);
      return (System.nanoTime() - begin) / 1_000;
    }
  }

  /// The median in microseconds, of fewer samples when they take long. Half of the time at most is
  /// for warming up.
  long median(KubeletStage stage, KubeletEffort effort) throws IOException {
    long begin = System.nanoTime();
    long end = begin + effort.patience().toNanos();
    long warm = begin + effort.patience().dividedBy(2).toNanos();
    int number = 0;
    while (number < effort.warmUp() && System.nanoTime() < warm) sample(stage, number++);
    List<Long> micros = new ArrayList<>();
    do micros.add(sample(stage, number++));
    while (micros.size() < effort.samples() && System.nanoTime() < end);
    micros.sort(null);
    return micros.get(micros.size() / 2);
  }
}
