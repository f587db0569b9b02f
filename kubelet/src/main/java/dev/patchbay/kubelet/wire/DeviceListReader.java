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
/// Of thousands of devices hardly any changes: an entry that has the bytes of the one at its place
/// in the list before is the same device, and is not read again.
public final class DeviceListReader {
  private static final int ENTRY =
      ListAndWatchResponse.DEVICES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private byte[] bytes = {};
  private Entries entries = new Entries(0);

  /// Where the entries of a list lie in its bytes, and the devices that they are.
  private static final class Entries {
    private int[] from;
    private int[] to;
    private Device[] devices;
    private int count;

    Entries(int expected) {
      from = new int[expected];
      to = new int[expected];
      devices = new Device[expected];
    }

    void add(int start, int end, Device device) {
      if (count == from.length) {
        int larger = Math.max(16, 2 * count);
        from = Arrays.copyOf(from, larger);
        to = Arrays.copyOf(to, larger);
        devices = Arrays.copyOf(devices, larger);
      }
      from[count] = start;
      to[count] = end;
      devices[count++] = device;
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
      CodedInputStream input = CodedInputStream.newInstance(message);
      for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
        if (tag == ENTRY) {
          int length = input.readRawVarint32();
          int start = input.getTotalBytesRead();
          input.skipRawBytes(length);
          entry(message, start, start + length, read, problems);
        } else if (!input.skipField(tag)) {
          throw new InvalidProtocolBufferException("a group ends that never began");
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    bytes = message;
    entries = read;
    List<Device> devices = Arrays.asList(read.devices).subList(0, read.count);
    List<Device> sorted = sortedOnce(devices, problems);
    return new ListedDevices(sorted, problems.told());
  }

  private void entry(byte[] message, int start, int end, Entries read, Problems problems)
      throws InvalidProtocolBufferException {
    int place = read.count;
    if (place < entries.count
        && Arrays.equals(message, start, end, bytes, entries.from[place], entries.to[place])) {
      read.add(start, end, entries.devices[place]);
      return;
    }
    var said =
        dev.patchbay.proto.deviceplugin.v1beta1.Device.parser()
            .parseFrom(message, start, end - start);
    Optional<String> problem = DeviceId.problemOf(said.getID());
    if (problem.isPresent()) {
      problems.add(() -> "a device is left out: " + problem.get());
      return;
    }
    int before = problems.count();
    Device device =
        new Device(DeviceId.of(said.getID()), health(said.getHealth()), nodes(said, problems));
    // What was wrong with it is said again of the next list.
    boolean isRight = problems.count() == before;
    read.add(start, isRight ? end : start, device);
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

  private static List<Device> sortedOnce(List<Device> devices, Problems problems) {
    if (isAscending(devices)) return devices;
    SortedMap<DeviceId, Device> byId = new TreeMap<>();
    for (Device each : devices)
      if (byId.put(each.id(), each) != null)
        problems.add(() -> "device " + each.id() + " is listed twice; the later one counts");
    return new ArrayList<>(byId.values());
  }

  private static boolean isAscending(List<Device> devices) {
    for (int i = 1; i < devices.size(); i++)
      if (devices.get(i - 1).compareTo(devices.get(i)) >= 0) return false;
    return true;
  }
}
