package dev.patchbay.kubelet;

/// A behaviour of upstream's kubelet that is a defect, and is imitated only where it is asked for.
public enum Quirk {
  /// What ended pods held stays in the checkpoint until the next allocation writes it.
  CHECKPOINT_KEEPS_ENDED_PODS,
  /// In PodResources a device of a claim shows the CDI devices of its driver's devices before it
  /// too.
  POD_RESOURCES_REPEATS_CDI_DEVICES
}
