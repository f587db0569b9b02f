package dev.patchbay.interop;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Reading JSON.
final class Json {
  private Json() {}

  /// The elements of an array; none when it is missing.
  static Stream<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
