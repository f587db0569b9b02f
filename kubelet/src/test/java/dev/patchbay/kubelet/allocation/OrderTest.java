package dev.patchbay.kubelet.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.inventory.DeviceTable;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.model.ResourceName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The same state gives the same answer, in whichever order things were told.
class OrderTest {
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");

  /// `-Dpatchbay.seed=N` runs that seed alone.
  static IntStream seeds() {
    Integer one = Integer.getInteger("patchbay.seed");
    return one == null ? IntStream.range(0, 60) : IntStream.of(one);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theOrderOfListsAndPodsDoesNotMatter(int seed) {
    var random = new Random(seed);
    List<Device> devices = devices(random);
    List<Allocations.Key> holders = new ArrayList<>();
    for (int i = 0; i < 4; i++) holders.add(new Allocations.Key("pod-" + i, "main", GPU));
    Request request = request(random);

    Decision first = decide(devices, holders, request);

    for (int i = 0; i < 5; i++) {
      Collections.shuffle(devices, random);
      Collections.shuffle(holders, random);
      assertThat(decide(devices, holders, request)).as("seed %d", seed).isEqualTo(first);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatMustBeIncludedIsKeptWhateverThePluginPrefers(int seed) {
    var random = new Random(seed);
    List<Device> devices = devices(random);
    Request request = request(random);

    if (decide(devices, List.of(), request) instanceof Decision.AskPlugin ask) {
      Set<DeviceId> preferred = new TreeSet<>();
      for (int i = random.nextInt(30); i > 0; i--)
        preferred.add(DeviceId.of("d" + random.nextInt(40)));
      assertThat(decide(devices, List.of(), request.withPreferred(preferred)))
          .as("seed %d, preferred %s", seed, preferred)
          .isInstanceOfSatisfying(
              Decision.Grant.class,
              grant -> {
                assertThat(grant.devices()).hasSize((int) request.count());
                assertThat(grant.devices()).containsAll(ask.mustInclude());
              });
    }
  }

  private static List<Device> devices(Random random) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      var nodes = new TreeSet<Integer>();
      for (int n = random.nextInt(3); n > 0; n--) nodes.add(random.nextInt(4));
      Health health = random.nextInt(5) == 0 ? Health.unhealthy("broken") : Health.healthy();
      devices.add(new Device(DeviceId.of("d" + i), health, nodes));
    }
    return devices;
  }

  private static Request request(Random random) {
    var reusable = new TreeSet<DeviceId>();
    for (int i = random.nextInt(3); i > 0; i--) reusable.add(DeviceId.of("d" + random.nextInt(30)));
    return new Request(
        new Allocations.Key("p", "main", GPU),
        1 + random.nextInt(6),
        reusable,
        false,
        false,
        random.nextBoolean() ? Optional.empty() : Optional.of(Set.of(random.nextInt(4))),
        random.nextBoolean(),
        Optional.empty());
  }

  /// Each holder has two devices that depend on its name alone.
  private static Decision decide(
      List<Device> devices, List<Allocations.Key> holders, Request request) {
    Inventory inventory =
        Inventory.EMPTY.connected(GPU, 1, false).listed(GPU, 1, DeviceTable.of(devices));
    Allocations allocations = Allocations.EMPTY;
    for (Allocations.Key each : holders) {
      int first = 2 * (each.podUid().charAt(each.podUid().length() - 1) - '0');
      var held = new TreeSet<>(Set.of(DeviceId.of("d" + first), DeviceId.of("d" + (first + 1))));
      allocations =
          allocations.with(
              each,
              new Allocations.Held(new TreeMap<>(java.util.Map.of(-1, held)), Optional.empty()));
    }
    return Allocator.decide(inventory, allocations, request);
  }
}
