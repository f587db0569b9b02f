package dev.patchbay.kubelet.allocation;

import static dev.patchbay.kubelet.inventory.DeviceNotation.devices;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random lives of a node: devices come, go and break, plugins go away and come back, pods come and
/// end, plugins prefer anything at all. After each step the rules hold that no step may break.
class AllocatorPropertyTest {
  private static final ResourceName GPU = ResourceName.of("vendor.example/gpu");
  private static final int RUNS = 40;
  private static final int STEPS = 250;

  private Random random = new Random();
  private Inventory inventory = Inventory.EMPTY;
  private Allocations allocations = Allocations.EMPTY;
  private long connection;
  private int pods;

  /// `-Dpatchbay.seed=N` runs the life with that seed alone.
  static IntStream seeds() {
    Integer one = Integer.getInteger("patchbay.seed");
    return one == null ? IntStream.range(0, RUNS) : IntStream.of(one);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noDeviceIsHeldTwiceAndHeldAndFreeAreAllThereAre(int seed) {
    random = new Random(seed);
    for (int step = 0; step < STEPS; step++) {
      try {
        takeAStep();
        assertNoDeviceIsHeldTwice();
        assertEverythingFreeCanBeHadAndNotOneMore();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ", step " + step + ": " + e.getMessage(), e);
      }
    }
  }

  private void takeAStep() {
    switch (random.nextInt(10)) {
      case 0 -> inventory = inventory.connected(GPU, ++connection, false);
      case 1 ->
          inventory = inventory.disconnected(GPU, random.nextLong(connection + 1), Instant.EPOCH);
      case 2, 3 -> inventory = inventory.listed(GPU, connection, devices(randomDevices()));
      case 4 -> endAPod();
      default -> admitAPod();
    }
  }

  private String randomDevices() {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      if (random.nextInt(6) == 0) continue;
      String node = random.nextBoolean() ? "" : "@" + random.nextInt(3);
      words.add((random.nextInt(6) == 0 ? "!" : "") + "d" + i + node);
    }
    return String.join(" ", words);
  }

  private void endAPod() {
    List<String> all = allocations.held().keySet().stream().map(Allocations.Key::podUid).toList();
    if (all.isEmpty()) return;
    String ends = all.get(random.nextInt(all.size()));
    allocations = allocations.without(key -> key.podUid().equals(ends));
  }

  /// A pod of an init container and one that comes after it.
  private void admitAPod() {
    String pod = "pod-" + pods++;
    SortedSet<DeviceId> left = admit(new Allocations.Key(pod, "init", GPU), new TreeSet<>());
    SortedSet<DeviceId> got = admit(new Allocations.Key(pod, "main", GPU), left);
    if (!got.isEmpty() && got.size() <= left.size())
      assertThat(left).as("what the init container left is taken first").containsAll(got);
  }

  private SortedSet<DeviceId> admit(Allocations.Key key, SortedSet<DeviceId> reusable) {
    Optional<Set<Integer>> nodes =
        random.nextBoolean() ? Optional.empty() : Optional.of(Set.of(random.nextInt(3)));
    var request =
        new Request(
            key,
            random.nextInt(5),
            reusable,
            false,
            false,
            nodes,
            random.nextBoolean(),
            Optional.empty());
    SortedSet<DeviceId> heldByOthers = allocations.devicesOf(GPU);
    heldByOthers.removeAll(reusable);
    Decision decision = Allocator.decide(inventory, allocations, request);
    if (decision instanceof Decision.AskPlugin ask) {
      assertThat(ask.available()).isSubsetOf(healthy()).noneMatch(heldByOthers::contains);
      assertThat(ask.mustInclude()).isSubsetOf(ask.available());
      assertThat(ask.size()).isEqualTo((int) request.count());
      decision = Allocator.decide(inventory, allocations, request.withPreferred(anything()));
    }
    return switch (decision) {
      case Decision.Grant(SortedSet<DeviceId> devices) -> {
        assertThat(devices).hasSize((int) request.count()).isSubsetOf(healthy());
        assertThat(devices).noneMatch(heldByOthers::contains);
        allocations = allocations.with(key, share(devices));
        yield devices;
      }
      case Decision.Keep _ -> {
        assertThat(request.count()).isZero();
        yield new TreeSet<>();
      }
      case Decision.Refusal refusal -> {
        assertThat(refusal.why()).contains(GPU.toString());
        yield new TreeSet<>();
      }
      case Decision.AskPlugin ask -> throw new AssertionError("asked again: " + ask);
    };
  }

  private Set<DeviceId> anything() {
    Set<DeviceId> ids = new TreeSet<>();
    for (int i = random.nextInt(8); i > 0; i--) ids.add(DeviceId.of("d" + random.nextInt(20)));
    return ids;
  }

  private static Allocations.Held share(SortedSet<DeviceId> devices) {
    return new Allocations.Held(new TreeMap<>(Map.of(-1, devices)), Optional.empty());
  }

  private SortedSet<DeviceId> healthy() {
    return inventory.find(GPU).map(state -> state.healthy()).orElseGet(TreeSet::new);
  }

  private void assertNoDeviceIsHeldTwice() {
    Map<DeviceId, String> podOf = new TreeMap<>();
    allocations
        .held()
        .forEach((key, share) -> {
          for (DeviceId id : share.devices()) {
            String other = podOf.putIfAbsent(id, key.podUid());
            assertThat(other == null || other.equals(key.podUid()))
                .as("%s is held by %s and %s", id, other, key.podUid())
                .isTrue();
          }
        });
  }

  private void assertEverythingFreeCanBeHadAndNotOneMore() {
    SortedSet<DeviceId> free = healthy();
    free.removeAll(allocations.devicesOf(GPU));

    if (!free.isEmpty()) assertThat(decide(free.size())).isEqualTo(new Decision.Grant(free));
    assertThat(decide(free.size() + 1)).isInstanceOf(Decision.Refusal.class);
  }

  private Decision decide(int count) {
    return Allocator.decide(
        inventory,
        allocations,
        new Request(
            new Allocations.Key("probe", "main", GPU),
            count,
            new TreeSet<>(),
            false,
            false,
            Optional.empty(),
            false,
            Optional.empty()));
  }
}
