package dev.patchbay.kubelet;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A behaviour of upstream's kubelet that is a defect, and is imitated only where it is asked for.
public enum Quirk {
  /// A registration's endpoint is joined to the device plugin directory as it is, and so may lead
  /// out of it: `../elsewhere.sock`. Else it has to be a path below the directory.
  ENDPOINTS_ARE_NOT_CHECKED,
  /// What ended pods held stays in the checkpoint until the next allocation writes it.
  CHECKPOINT_KEEPS_ENDED_PODS,
  /// Devices that were chosen before the plugin's GetPreferredAllocation failed count as allocated
  /// although nobody has them: until something is taken back from a pod that has ended, an Allocate
  /// call fails, or the kubelet restarts.
  FAILED_PREFERENCES_KEEP_DEVICES,
  /// A container takes over what an init container held although it is not healthy any more: the
  /// plugin is asked to Allocate a device that it has called unhealthy.
  INIT_CONTAINERS_HAND_ON_BROKEN_DEVICES,
  /// When the ListAndWatch stream of one of a resource's plugins ends, the connections to the
  /// others are closed: so a plugin that is replaced takes its successor with it, and the devices
  /// are unhealthy until the next registration.
  OLD_PLUGINS_END_THE_NEWEST,
  /// In PodResources a device of a claim shows the CDI devices of its driver's devices before it
  /// too.
  POD_RESOURCES_REPEATS_CDI_DEVICES,
  /// GetPreferredAllocation and Allocate have no deadline: a plugin that does not answer holds the
  /// pod up for ever.
  PLUGINS_HAVE_NO_DEADLINE;

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
