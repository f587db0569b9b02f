package dev.patchbay.kubelet.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.patchbay.model.Device;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.Health;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.NUMANode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// Reads the lists of one plugin, one after the other; those of 1.8 and 1.9, too, which say less in
/// the same bytes. For one thread at a time.
///
/// Of thousands of devices hardly any changes: entries whose bytes are those of the same place in
/// the list before are the same devices, and are not read again.
public final class DeviceListReader {
  private static final int ENTRY =
      ListAndWatchResponse.DEVICES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  // The list before; nothing of one with which something was wrong, since that is said again.
  private byte[] bytes = {};
  private Entries entries = new Entries(0);

  /// Where the entries of a list end in its bytes, and the devices that they are.
  private static final class Entries {
    private int[] ends;
    private Device[] devices;
    private int count;

    Entries(int expected) {
      ends = new int[expected];
      devices = new Device[expected];
    }

    void add(int end, Device device) {
      makeRoom(1);
      ends[count] = end;
      devices[count++] = device;
    }

    /// Adds those from a place on, up to another.
    ///
    /// @param moved by how many bytes they lie elsewhere
    void addAll(Entries others, int from, int to, int moved) {
      makeRoom(to - from);
      System.arraycopy(others.devices, from, devices, count, to - from);
      for (int place = from; place < to; place++) ends[count++] = others.ends[place] + moved;
    }

    private void makeRoom(int more) {
      if (count + more <= ends.length) return;
      int larger = Math.max(16 + more, 2 * count);
      ends = Arrays.copyOf(ends, larger);
      devices = Arrays.copyOf(devices, larger);
    }

    /// Where the entry at a place begins, or what stands before it.
    int begin(int place) {
      return place == 0 ? 0 : ends[place - 1];
    }
  }

  /// The devices of a list, a serialized `ListAndWatchResponse`. Of an id that occurs twice the
  /// later one counts, once; a device without a usable id is left out. Any health other than
  /// exactly `Healthy` means unhealthy.
  ///
  /// @throws InvalidProtocolBufferException when the bytes are no such message
  public ListedDevices read(byte[] message) throws InvalidProtocolBufferException {
    var read = new Entries(entries.count);
    var problems = new Problems();
    try {
      int at = 0;
      while (at < message.length) {
        at = takeOver(message, at, read);
        if (at < message.length) at = field(message, at, read, problems);
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    List<Device> sorted = sortedOnce(Arrays.copyOf(read.devices, read.count), problems);
    boolean isRight = problems.count() == 0;
    bytes = isRight ? message : new byte[0];
    entries = isRight ? read : new Entries(0);
    return new ListedDevices(sorted, problems.told());
  }

  /// Takes over the entries that follow each other in the same bytes as at this place in the list
  /// before.
  ///
  /// @param at where the next entry begins
  /// @return where they end
  private int takeOver(byte[] message, int at, Entries read) {
    int place = read.count;
    if (place >= entries.count) return at;
    int before = entries.begin(place);
    int same = Arrays.mismatch(message, at, message.length, bytes, before, bytes.length);
    int end = same < 0 ? bytes.length : before + same;
    while (place < entries.count && entries.ends[place] <= end) place++;
    read.addAll(entries, read.count, place, at - before);
    return entries.begin(place) - before + at;
  }

  /// @return where the next field begins
  private static int field(byte[] message, int at, Entries read, Problems problems)
      throws IOException {
    // A length of one byte, as nearly all have.
    if (message[at] == ENTRY && at + 1 < message.length && message[at + 1] >= 0) {
      int end = at + 2 + message[at + 1];
      if (end <= message.length) {
        entry(message, at + 2, end, read, problems);
        return end;
      }
    }
    CodedInputStream input = CodedInputStream.newInstance(message, at, message.length - at);
    int tag = input.readTag();
    if (tag == ENTRY) {
      int length = input.readRawVarint32();
      int start = at + input.getTotalBytesRead();
      input.skipRawBytes(length);
      entry(message, start, start + length, read, problems);
    } else if (!input.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that never began");
    }
    return at + input.getTotalBytesRead();
  }

  private static void entry(byte[] message, int start, int end, Entries read, Problems problems)
      throws InvalidProtocolBufferException {
    Optional<Device> plain = PlainDevice.read(message, start, end);
    if (plain.isPresent()) {
      read.add(end, plain.get());
      return;
    }
    var said =
        dev.patchbay.proto.deviceplugin.v1beta1.Device.parser()
            .parseFrom(message, start, end - start);
    Optional<String> problem = DeviceId.problemOf(said.getID());
    if (problem.isPresent()) problems.add(() -> "a device is left out: " + problem.get());
    else
      read.add(
          end,
          new Device(DeviceId.of(said.getID()), health(said.getHealth()), nodes(said, problems)));
  }

  /// What is wrong with a list. A list can hold two million devices without an id.
  private static final class Problems {
    private static final int MOST = 10;

    private final List<String> first = new ArrayList<>();
    private int more;

    void add(Supplier<String> problem) {
      if (first.size() < MOST) first.add(problem.get());
      else more++;
    }

    int count() {
      return first.size() + more;
    }

    List<String> told() {
      List<String> all = new ArrayList<>(first);
      if (more > 0) all.add("and " + more + " more like these");
      return List.copyOf(all);
    }
  }

  private static Health health(String word) {
    return word.equals("Healthy")
        ? Health.healthy()
        : Health.unhealthy("the plugin says \"" + word + "\"");
  }

  private static SortedSet<Integer> nodes(
      dev.patchbay.proto.deviceplugin.v1beta1.Device device, Problems problems) {
    if (device.getTopology().getNodesCount() == 0) return Collections.emptySortedSet();
    SortedSet<Integer> nodes = new TreeSet<>();
    for (NUMANode node : device.getTopology().getNodesList())
      if (node.getID() >= 0 && node.getID() <= Integer.MAX_VALUE) nodes.add((int) node.getID());
      else problems.add(() -> "device " + device.getID() + " names the NUMA node " + node.getID());
    return nodes;
  }

  private static List<Device> sortedOnce(Device[] devices, Problems problems) {
    if (Device.areAscending(devices)) return List.of(devices);
    SortedMap<DeviceId, Device> byId = new TreeMap<>();
    for (Device each : devices)
      if (byId.put(each.id(), each) != null)
        problems.add(() -> "device " + each.id() + " is listed twice; the later one counts");
    return new ArrayList<>(byId.values());
  }
}
