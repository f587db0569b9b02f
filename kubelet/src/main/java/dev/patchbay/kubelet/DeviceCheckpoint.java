package dev.patchbay.kubelet;

import dev.patchbay.kubelet.allocation.Allocations;
import dev.patchbay.kubelet.checkpoint.Checkpoint;
import dev.patchbay.kubelet.checkpoint.CheckpointFile;
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
import java.util.List;
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
    if (found.isPresent())
      ledger.restore(new DeviceState(inventory(found.get(), now), allocations(found.get())));
  }

  /// Writes the newest state.
  ///
  /// @throws IOException when the file cannot be written; names it
  void write() throws IOException {
    writing.lock();
    try {
      file.write(content(ledger.now()));
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

  private static Checkpoint content(DeviceState now) {
    List<Checkpoint.Entry> entries = new ArrayList<>();
    now.allocations()
        .held()
        .forEach((key, share) ->
            share.answer().ifPresent(answer -> entries.add(entry(key, share, answer))));
    SortedMap<String, List<String>> registered = new TreeMap<>();
    now.inventory()
        .resources()
        .forEach((name, state) ->
            registered.put(
                name.toString(), state.healthy().stream().map(DeviceId::value).toList()));
    return new Checkpoint(
        entries.isEmpty() ? null : entries, Collections.unmodifiableSortedMap(registered));
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
