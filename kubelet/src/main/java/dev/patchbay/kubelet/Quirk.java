package dev.patchbay.kubelet;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A behaviour of upstream's kubelet that is a defect, and is imitated only where it is asked for.
public enum Quirk {
  /// What ended pods held stays in the checkpoint until the next allocation writes it.
  CHECKPOINT_KEEPS_ENDED_PODS,
  /// In PodResources a device of a claim shows the CDI devices of its driver's devices before it
  /// too.
  POD_RESOURCES_REPEATS_CDI_DEVICES;

  /// The one of this name, as in `checkpoint-keeps-ended-pods`.
  public static Optional<Quirk> of(String text) {
    return Arrays.stream(values()).filter(each -> each.toString().equals(text)).findFirst();
  }

  /// Its name in lower case with hyphens, as options have it.
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
