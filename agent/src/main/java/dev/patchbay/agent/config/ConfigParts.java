package dev.patchbay.agent.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// The configurations in a file, which may be one of the agent's own, a stream of Kubernetes
/// manifests with ConfigMaps, or the values of the Helm chart. Which it is, its content says.
///
/// @param parts by name, in the order of the file: empty for the file itself, `name/key` for a key
///   of a ConfigMap, the name of a node group in a file of values. At least one
public record ConfigParts(SequencedMap<String, ConfigReading> parts) {
  /// The name of the node group of all nodes that no other takes.
  static final String DEFAULT_GROUP = "default";

  public ConfigParts {
    parts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(parts));
  }

  /// Reads a file's text.
  ///
  /// @param file its name, for problems
  public static ConfigParts read(String file, String text) {
    return ConfigDocuments.read(file, text);
  }

  /// One part alone.
  static ConfigParts of(String name, ConfigReading reading) {
    SequencedMap<String, ConfigReading> one = new LinkedHashMap<>();
    one.put(name, reading);
    return new ConfigParts(one);
  }

  /// What cannot be used, for these reasons.
  public static ConfigParts wrong(ConfigProblem problem) {
    return of("", new ConfigReading.Wrong(List.of(problem)));
  }

  /// The problems of all parts, in the order of the file.
  public List<ConfigProblem> problems() {
    return parts.values().stream()
        .flatMap(reading ->
            switch (reading) {
              case ConfigReading.Valid _ -> List.<ConfigProblem>of().stream();
              case ConfigReading.Wrong wrong -> wrong.problems().stream();
            })
        .toList();
  }
}
