package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.allocation.Allocations.Held;
import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.checkpoint.CheckpointFormat;
import dev.patchbay.kubelet.checkpoint.Fragment;
import dev.patchbay.kubelet.checkpoint.IdTexts;
import dev.patchbay.kubelet.inventory.Inventory;
import dev.patchbay.kubelet.inventory.ResourceState;
import dev.patchbay.kubelet.wire.Messages;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/// The part of the ledger that outlives the kubelet: names of resources, and what containers hold
/// with the plugins' answers. What is only reserved is not written.
final class DeviceCheckpoint {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.kubelet");

  private final CheckpointFile file;
  private final DeviceLedger ledger;

  /// Keeps one write after the other, each with the newest state; never taken inside the ledger's
  /// lock.
  private final ReentrantLock writing = new ReentrantLock();

  private boolean ended;
  private Allocations written = Allocations.EMPTY;
  private Set<ResourceName> writtenNames = Set.of();
  private Map<String, PodPieces> lastPods = Map.of();
  private Map<ResourceName, ResourcePiece> lastResources = Map.of();

  /// What the last file says of a pod, and the value that it stands for.
  private record PodPieces(SortedMap<Allocations.Key, Held> of, List<Fragment> fragments) {
    /// Whether they are of this very value: values are never changed, and comparing large ones
    /// would take as long as writing them.
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(SortedMap<Allocations.Key, Held> shares) {
      return of == shares;
    }
  }

  /// What the last file says of a resource, the value that it stands for, and the ids of its list,
  /// healthy or not.
  private record ResourcePiece(ResourceState of, IdTexts ids, Fragment fragment) {
    @SuppressWarnings("ReferenceEquality") // as above
    boolean isOf(ResourceState state) {
      return of == state;
    }
  }

  DeviceCheckpoint(CheckpointFile file, DeviceLedger ledger) {
    this.file = file;
    this.ledger = ledger;
  }

  /// Puts what an earlier kubelet left into the ledger; entries that make no sense are skipped.
  ///
  /// @param now when the grace period of the known resources begins
  /// @throws IOException when the file cannot be read; names it
  void restore(Instant now) throws IOException {
    Optional<Checkpoint> found = file.read();
    if (found.isEmpty()) return;
    written = allocations(found.get());
    Inventory known = inventory(found.get(), now);
    writtenNames = names(known);
    ledger.restore(new DeviceState(known, written));
  }

  /// Writes the newest state.
  ///
  /// @throws IOException when the file cannot be written; names it. Also after [#end]
  void write() throws IOException {
    writing.lock();
    try {
      if (ended) throw new IOException(DeviceLedger.STOPPED);
      DeviceState now = ledger.now();
      file.write(content(now));
      written = now.allocations();
      writtenNames = lastResources.keySet();
    } finally {
      writing.unlock();
    }
  }

  /// Writes the newest state if containers hold something else now than in the file.
  void catchUp() {
    writing.lock();
    try {
      if (ledger.now().allocations() != written) tryWrite();
    } finally {
      writing.unlock();
    }
  }

  /// Writes the newest state where nobody waits for it; the next write makes up for one that
  /// failed.
  void tryWrite() {
    writing.lock();
    try {
      if (!ended) write();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "checkpoint not written reason=" + e.getMessage());
    } finally {
      writing.unlock();
    }
  }

  /// The resources that a file of it names.
  private static Set<ResourceName> names(Inventory inventory) {
    Set<ResourceName> names = new TreeSet<>();
    inventory
        .resources()
        .forEach((name, state) -> {
          if (state.everListed()) names.add(name);
        });
    return names;
  }

  /// Leaves the file to whoever comes next: nothing is written any more but now, and that only if a
  /// resource was listed in this moment that the file does not name.
  void end() {
    writing.lock();
    try {
      if (!writtenNames.containsAll(names(ledger.now().inventory()))) tryWrite();
      ended = true;
    } finally {
      writing.unlock();
    }
  }

  private static Inventory inventory(Checkpoint checkpoint, Instant now) {
    Set<ResourceName> known = new TreeSet<>();
    if (checkpoint.registered() != null)
      for (String name : checkpoint.registered().keySet())
        if (ResourceName.problemOf(name).isEmpty()) known.add(ResourceName.of(name));
    return Inventory.restored(known, now);
  }

  private static Allocations allocations(Checkpoint checkpoint) {
    Map<Allocations.Key, Held> all = new HashMap<>();
    if (checkpoint.entries() != null)
      for (Checkpoint.Entry entry : checkpoint.entries()) {
        try {
          put(entry, all);
        } catch (IOException | IllegalArgumentException | ArithmeticException e) {
          LOG.log(
              System.Logger.Level.WARNING,
              "checkpoint entry skipped pod="
                  + entry.podUid()
                  + " resource="
                  + entry.resource()
                  + " reason="
                  + e.getMessage());
        }
      }
    return Allocations.of(all);
  }

  private static void put(Checkpoint.Entry entry, Map<Allocations.Key, Held> all)
      throws IOException {
    if (entry.answer() == null) return;
    SortedMap<Integer, SortedSet<DeviceId>> devices = new TreeMap<>();
    if (entry.devices() != null)
      entry
          .devices()
          .forEach((node, ids) -> {
            if (ids != null) {
              SortedSet<DeviceId> onNode = new TreeSet<>();
              ids.forEach(id -> onNode.add(DeviceId.of(id)));
              devices.put(Math.toIntExact(node), onNode);
            }
          });
    var key =
        new Allocations.Key(entry.podUid(), entry.container(), ResourceName.of(entry.resource()));
    var answer =
        Messages.edits(
            ContainerAllocateResponse.parseFrom(Base64.getDecoder().decode(entry.answer())));
    all.put(key, new Held(devices, Optional.of(answer)));
  }

  /// The file's bytes. Pieces that are as they were in the last file are used again: of a node full
  /// of pods an admission changes one.
  private byte[] content(DeviceState now) {
    Map<String, PodPieces> pods = new HashMap<>();
    List<Fragment> entries = new ArrayList<>();
    now.allocations()
        .byPod()
        .forEach((uid, shares) -> {
          PodPieces known = lastPods.get(uid);
          PodPieces pieces =
              known != null && known.isOf(shares)
                  ? known
                  : new PodPieces(shares, fragments(shares));
          pods.put(uid, pieces);
          entries.addAll(pieces.fragments());
        });
    Map<ResourceName, ResourcePiece> resources = new HashMap<>();
    List<Fragment> registered = new ArrayList<>();
    now.inventory()
        .resources()
        .forEach((name, state) -> {
          if (!state.everListed()) return;
          ResourcePiece piece = piece(name, state);
          resources.put(name, piece);
          registered.add(piece.fragment());
        });
    lastPods = pods;
    lastResources = resources;
    return CheckpointFormat.write(entries.isEmpty() ? null : entries, registered);
  }

  private static List<Fragment> fragments(SortedMap<Allocations.Key, Held> shares) {
    List<Fragment> all = new ArrayList<>();
    shares.forEach((key, share) ->
        share.answer().ifPresent(answer -> all.add(Fragment.of(entry(key, share, answer)))));
    return all;
  }

  private ResourcePiece piece(ResourceName name, ResourceState state) {
    ResourcePiece known = lastResources.get(name);
    if (known != null && known.isOf(state)) return known;
    IdTexts ids =
        known != null && known.of().table().hasPlacesOf(state.table())
            ? known.ids()
            : IdTexts.of(state.table().ids().stream().map(DeviceId::value).toList());
    return new ResourcePiece(state, ids, ids.registered(name.toString(), state.healthyPlaces()));
  }

  private static Checkpoint.Entry entry(Allocations.Key key, Held share, ContainerEdits answer) {
    SortedMap<Long, List<String>> devices = new TreeMap<>();
    share
        .devicesByNode()
        .forEach((node, ids) ->
            devices.put(node.longValue(), ids.stream().map(DeviceId::value).toList()));
    return new Checkpoint.Entry(
        key.podUid(),
        key.container(),
        key.resource().toString(),
        Collections.unmodifiableSortedMap(devices),
        Base64.getEncoder().encodeToString(Messages.message(answer).toByteArray()));
  }
}
