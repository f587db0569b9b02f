package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
import dev.patchbay.kubelet.checkpoint.CheckpointFormat;
import dev.patchbay.kubelet.checkpoint.Fragment;
import dev.patchbay.kubelet.inventory.Inventory;
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

  private Allocations written = Allocations.EMPTY;
  private Map<Allocations.Key, Piece> lastEntries = Map.of();
  private Map<ResourceName, Piece> lastResources = Map.of();

  /// A piece of the last file, and the value that it stands for.
  private record Piece(Object of, Fragment fragment) {
    /// Whether it is of this very value: values are never changed, and comparing large ones would
    /// take as long as writing them.
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(Object value) {
      return of == value;
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
    ledger.restore(new DeviceState(inventory(found.get(), now), written));
  }

  /// Writes the newest state.
  ///
  /// @throws IOException when the file cannot be written; names it
  void write() throws IOException {
    writing.lock();
    try {
      DeviceState now = ledger.now();
      file.write(content(now));
      written = now.allocations();
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
    try {
      write();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.ERROR, "checkpoint not written reason=" + e.getMessage());
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
    Allocations all = Allocations.EMPTY;
    if (checkpoint.entries() != null)
      for (Checkpoint.Entry entry : checkpoint.entries()) {
        try {
          all = with(all, entry);
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
    return all;
  }

  private static Allocations with(Allocations all, Checkpoint.Entry entry) throws IOException {
    if (entry.answer() == null) return all;
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
    return all.with(key, new Allocations.Held(devices, Optional.of(answer)));
  }

  /// The file's bytes. Pieces that are as they were in the last file are used again: of a node full
  /// of pods an admission changes one.
  private byte[] content(DeviceState now) {
    Map<Allocations.Key, Piece> newEntries = new HashMap<>();
    List<Fragment> entries = new ArrayList<>();
    now.allocations()
        .byPod()
        .values()
        .forEach(shares ->
            shares.forEach((key, share) -> {
              if (share.answer().isEmpty()) return;
              Piece known = lastEntries.get(key);
              Piece piece =
                  known != null && known.isOf(share)
                      ? known
                      : new Piece(share, Fragment.of(entry(key, share, share.answer().get())));
              newEntries.put(key, piece);
              entries.add(piece.fragment());
            }));
    Map<ResourceName, Piece> newResources = new HashMap<>();
    List<Fragment> registered = new ArrayList<>();
    now.inventory()
        .resources()
        .forEach((name, state) -> {
          if (!state.everListed()) return;
          Piece known = lastResources.get(name);
          Piece piece =
              known != null && known.isOf(state)
                  ? known
                  : new Piece(
                      state,
                      Fragment.registered(
                          name.toString(),
                          state.healthyPlaces().stream()
                              .mapToObj(place -> state.table().id(place).value())
                              .toList()));
          newResources.put(name, piece);
          registered.add(piece.fragment());
        });
    lastEntries = newEntries;
    lastResources = newResources;
    return CheckpointFormat.write(entries.isEmpty() ? null : entries, registered);
  }

  private static Checkpoint.Entry entry(
      Allocations.Key key, Allocations.Held share, ContainerEdits answer) {
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
