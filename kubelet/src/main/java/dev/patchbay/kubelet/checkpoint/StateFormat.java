package dev.patchbay.kubelet.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/// What the state file of one of the kubelet's managers holds.
///
/// @param <S> the state
public interface StateFormat<S> {
  /// The policy under which the state came about.
  String policy(S state);

  /// Adds all but the checksum, in the order of the file.
  void put(S state, ObjectNode root);

  /// The state that an object of the file stands for, whatever its checksum.
  ///
  /// @throws IOException what is wrong with it
  S state(JsonNode root) throws IOException;

  /// What Go's printer makes of the state, which the checksum is of.
  String printed(S state);

  /// The same as kubelets printed it whose structure had the name of its version.
  String printedAsVersioned(S state);
}
