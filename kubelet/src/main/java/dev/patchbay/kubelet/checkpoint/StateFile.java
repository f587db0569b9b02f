package dev.patchbay.kubelet.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The JSON file in which the state of one of the kubelet's managers outlives the kubelet, with the
/// policy under which it came about and a checksum. The real kubelet reads what is written here,
/// and the other way round.
///
/// @param <S> the state
public final class StateFile<S> {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final String TEXT = "data";
  private static final String TEXT_CHECKSUM = "dataChecksum";

  private final WholeFile file;
  private final String manager;
  private final String prefix;
  private final StateFormat<S> format;

  /// A file of this name in this directory.
  ///
  /// @param manager the manager's name in texts, as `CPU`
  /// @param prefix what the manager puts before its own errors
  public StateFile(
      Path directory, String name, String manager, String prefix, StateFormat<S> format) {
    this.file = new WholeFile(directory, name);
    this.manager = manager;
    this.prefix = prefix;
    this.format = format;
  }

  /// The state in the file; empty when there is no file. The real kubelet exits where this throws.
  ///
  /// @param policy the one that the state has to be of
  /// @throws IOException when the file is damaged, or is of another policy; the text is the
  ///   kubelet's
  public Optional<S> read(String policy) throws IOException {
    try {
      Optional<String> text = file.read();
      return text.isEmpty() ? Optional.empty() : Optional.of(ofPolicy(policy, parse(text.get())));
    } catch (IOException e) {
      throw new IOException(
          "could not restore state from checkpoint: "
              + e.getMessage()
              + ", please drain this node and delete the "
              + manager
              + " manager checkpoint file \""
              + file.path()
              + "\" before restarting Kubelet",
          e);
    }
  }

  /// Replaces the file.
  ///
  /// @throws IOException when it cannot be written; the old one is untouched then
  public void write(S state) throws IOException {
    file.write(JSON.writeValueAsBytes(tree(state)));
  }

  private S ofPolicy(String policy, S saved) throws IOException {
    String found = format.policy(saved);
    if (!found.equals(policy))
      throw new IOException(
          prefix
              + "configured policy \""
              + policy
              + "\" differs from state checkpoint policy \""
              + found
              + "\"");
    return saved;
  }

  private S parse(String text) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IOException("not JSON: " + e.getOriginalMessage(), e);
    }
    if (!(root instanceof ObjectNode object)) throw new IOException("not a JSON object");
    ObjectNode said = withoutText(object);
    S state = format.state(said);
    if (!hasRightChecksum(said, state) || !saysAll(said, state))
      throw new IOException("checkpoint is corrupted");
    return state;
  }

  /// Kubernetes 1.37 says all of it once more in a text with a checksum of its own, for what comes
  /// after it.
  private static ObjectNode withoutText(ObjectNode root) throws IOException {
    if (!root.has(TEXT) && !root.has(TEXT_CHECKSUM)) return root;
    long checksum = root.path(TEXT_CHECKSUM).asLong();
    if (checksum != GoChecksum.of("(string)" + root.path(TEXT).asText()))
      throw new IOException("checkpoint is corrupted");
    return root.deepCopy().without(List.of(TEXT, TEXT_CHECKSUM));
  }

  private boolean hasRightChecksum(JsonNode root, S state) {
    long checksum = root.path("checksum").asLong();
    // Without one it is from before there were checksums.
    return checksum == 0
        || checksum == GoChecksum.of(format.printed(state))
        || checksum == GoChecksum.of(format.printedAsVersioned(state));
  }

  /// Whether the state is all that the text says: a key that nobody knows is a damaged one.
  private boolean saysAll(JsonNode root, S state) throws IOException {
    // Written and read, since numbers of a tree differ by their types.
    ObjectNode again = (ObjectNode) JSON.readTree(JSON.writeValueAsBytes(tree(state)));
    if (root.has("checksum")) again.set("checksum", root.path("checksum"));
    else again.remove("checksum");
    return again.equals(root);
  }

  private ObjectNode tree(S state) {
    ObjectNode root = JSON.createObjectNode();
    format.put(state, root);
    return root.put("checksum", GoChecksum.of(format.printed(state)));
  }
}
