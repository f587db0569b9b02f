package dev.patchbay.agent.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Finds the configurations in a file by what its documents look like.
///
/// A document with `apiVersion` and `kind` is a manifest; one with `config` or `nodeGroups` the
/// chart's values; the agent's own configuration knows none of these keys.
final class ConfigDocuments {
  private final String file;
  private final String text;
  private final SequencedMap<String, ConfigReading> parts = new LinkedHashMap<>();

  private ConfigDocuments(String file, String text) {
    this.file = file;
    this.text = text;
  }

  static ConfigParts read(String file, String text) {
    List<Node> documents = new ArrayList<>();
    try {
      ConfigReader.documents(text).forEach(documents::add);
    } catch (YamlEngineException e) {
      // As a configuration it is as wrong, and its reader says where.
      return ConfigParts.of("", ConfigReader.read(file, text));
    }
    var found = new ConfigDocuments(file, text);
    if (documents.stream().anyMatch(ConfigDocuments::isManifest)) {
      documents.forEach(found::addManifest);
      return found.parts.isEmpty() ? found.nothing() : new ConfigParts(found.parts);
    }
    if (documents.size() == 1 && isValues(documents.getFirst())) {
      found.addValues(documents.getFirst());
      return new ConfigParts(found.parts);
    }
    return ConfigParts.of("", ConfigReader.read(file, text));
  }

  private static boolean isManifest(Node document) {
    return Yaml.value(document, "apiVersion").isPresent()
        && Yaml.value(document, "kind").isPresent();
  }

  private static boolean isValues(Node document) {
    return Yaml.value(document, "version").isEmpty()
        && (Yaml.value(document, "config").isPresent()
            || Yaml.value(document, "nodeGroups").isPresent());
  }

  private ConfigParts nothing() {
    return ConfigParts.wrong(
        new ConfigProblem(
            file, 0, 0, "", "has no ConfigMap with a configuration, a key that ends in .yaml"));
  }

  private void addManifest(Node document) {
    String kind = Yaml.value(document, "kind").flatMap(Yaml::text).orElse("");
    if (kind.equals("List") || kind.equals("ConfigMapList"))
      Yaml.items(Yaml.value(document, "items")).forEach(this::addManifest);
    if (!kind.equals("ConfigMap")) return;
    String name =
        Yaml.value(document, "metadata")
            .flatMap(metadata -> Yaml.value(metadata, "name"))
            .flatMap(Yaml::text)
            .orElse("?");
    Yaml.value(document, "data")
        .ifPresent(data ->
            Yaml.entries(data)
                .forEach((key, value) -> {
                  if (value instanceof ScalarNode scalar && isConfiguration(key, scalar.getValue()))
                    add(name + "/" + key, readText("data[" + key + "]", scalar));
                }));
  }

  /// Keys that end in `.yaml` or `.yml`, but for files that are plainly somebody else's: mappings
  /// without any key of ours.
  private static boolean isConfiguration(String key, String value) {
    if (!key.endsWith(".yaml") && !key.endsWith(".yml")) return false;
    try {
      for (Node node : ConfigReader.documents(value))
        if (node instanceof MappingNode)
          return Yaml.entries(node).keySet().stream().anyMatch(ConfigReader.ROOT_KEYS::contains);
      return true;
    } catch (YamlEngineException e) {
      return true;
    }
  }

  private ConfigReading readText(String key, ScalarNode value) {
    var problems = new Problems(file, new TextPlace(text, value)::of);
    return ConfigReader.reading(problems, ConfigReader.readText(problems, key, value.getValue()));
  }

  private void addValues(Node document) {
    Yaml.value(document, "config")
        .ifPresent(config -> addGroup(ConfigParts.DEFAULT_GROUP, "config", config));
    int i = 0;
    for (Node group : Yaml.items(Yaml.value(document, "nodeGroups"))) {
      String key = "nodeGroups[" + i++ + "]";
      String name = Yaml.value(group, "name").flatMap(Yaml::text).orElse(key);
      Optional<Node> config = Yaml.value(group, "config");
      if (config.isPresent()) addGroup(name, key + ".config", config.get());
      else {
        var problems = new Problems(file);
        problems.add(group, key + ".config", "is missing");
        add(name, new ConfigReading.Wrong(problems.sorted()));
      }
    }
    // No group says anything: all nodes go by what is built in.
    if (parts.isEmpty())
      add(ConfigParts.DEFAULT_GROUP, new ConfigReading.Valid(ConfigReader.defaults()));
  }

  private void addGroup(String name, String key, Node config) {
    boolean saysNothing =
        Yaml.isNull(config)
            || (config instanceof MappingNode mapping && mapping.getValue().isEmpty());
    if (saysNothing && name.equals(ConfigParts.DEFAULT_GROUP)) return;
    var problems = new Problems(file);
    HelmScalars.check(problems, key, config);
    add(name, ConfigReader.reading(problems, ConfigReader.readNode(problems, key, config)));
  }

  private void add(String name, ConfigReading reading) {
    if (parts.putIfAbsent(name, reading) == null) return;
    var problem = new ConfigProblem(file, 0, 0, "", "has two configurations " + name);
    parts.put(name, new ConfigReading.Wrong(List.of(problem)));
  }
}
