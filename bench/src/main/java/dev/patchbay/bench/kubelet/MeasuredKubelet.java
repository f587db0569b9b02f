package dev.patchbay.bench.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/// A kubelet that can be given work, in this process or in another. Each operation returns how many
/// microseconds the kubelet had to do with it.
interface MeasuredKubelet extends AutoCloseable {
  /// Starts as a [KubeletSetting] says.
  void start(KubeletSetting setting, KubeletFiles files) throws IOException;

  /// Starts anew over the same directories.
  void restart() throws IOException;

  /// A pod will be admitted next, or asked for its hints: what has to be read of it can be read.
  void announce(ObjectNode pod) throws IOException;

  /// Admits the announced pod, without the node's predicates, which refuse more than 110 pods.
  ///
  /// @throws IOException when it is refused
  long admit() throws IOException;

  /// Hints for the announced pod's one container.
  long hints() throws IOException;

  /// A pod is gone.
  void remove(String uid) throws IOException;

  /// How many devices of a resource are allocatable; negative when it is not known.
  long allocatable(String resource) throws IOException;

  /// Resident memory after a collection of garbage, in KiB.
  long residentKib() throws IOException;

  @Override
  void close() throws IOException;
}
