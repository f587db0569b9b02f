package dev.patchbay.kubelet;

import dev.patchbay.model.ResourceName;
import java.util.SortedMap;

/// Extended resources as the node's status shows them.
///
/// @param capacity number of devices, healthy or not
/// @param allocatable number of healthy devices
public record NodeResources(
    SortedMap<ResourceName, Long> capacity, SortedMap<ResourceName, Long> allocatable) {}
