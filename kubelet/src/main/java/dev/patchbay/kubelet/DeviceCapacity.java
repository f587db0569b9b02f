package dev.patchbay.kubelet;

import dev.patchbay.model.ResourceName;
import java.util.SortedMap;
import java.util.SortedSet;

/// What the device manager reports to the node's status (`GetCapacity`).
///
/// @param capacity number of devices, healthy or not, of each resource within its grace period
/// @param allocatable number of healthy devices; without those resources that never sent a list
/// @param removed resources whose grace period ended since the last report: each is in one report
///   alone, so whoever writes the node's status has to be the only one who asks
public record DeviceCapacity(
    SortedMap<ResourceName, Long> capacity,
    SortedMap<ResourceName, Long> allocatable,
    SortedSet<ResourceName> removed) {}
