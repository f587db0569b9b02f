package dev.patchbay.kubelet.podresources;

import java.util.List;
import java.util.Optional;

/// What the node's pods have, for whoever asks. Asked from several threads at once; must not wait
/// for a plugin.
public interface NodeHoldings {
  /// Frees what ended pods still hold.
  void collectGarbage();

  /// All pods that the kubelet knows, the ended ones too, in any order.
  List<PodHoldings> pods();

  /// One pod, ended or not. Where an ended pod has the name of one that has not, the latter.
  Optional<PodHoldings> pod(String namespace, String name);

  /// What could be given to pods, given or not.
  Allocatable allocatable();
}
