package dev.patchbay.agent.config;

import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.http.ListenAddress;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.PluginHostConfig.Way;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedSet;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/// Reads configuration files.
public final class ConfigReader {
  private static final String VERSION = "1";

  /// The keys of a configuration's first level.
  static final Set<String> ROOT_KEYS =
      Set.of(
          "version",
          "log",
          "http",
          "registration",
          "rescan-every",
          "health",
          "out-of-service",
          "drivers");

  private static final SequencedMap<String, LogConfig.Format> FORMATS =
      Words.of("text", LogConfig.Format.TEXT, "json", LogConfig.Format.JSON);
  private static final SequencedMap<String, System.Logger.Level> LEVELS =
      Words.of(
          "debug", System.Logger.Level.DEBUG,
          "info", System.Logger.Level.INFO,
          "warning", System.Logger.Level.WARNING,
          "error", System.Logger.Level.ERROR);
  private static final SequencedMap<String, Way> WAYS =
      Words.of("kubelet-socket", Way.KUBELET_SOCK, "plugins-registry", Way.PLUGINS_REGISTRY);

  private ConfigReader() {}

  /// The text of the configuration that holds when no file is given.
  public static String defaultText() {
    try (InputStream in = ConfigReader.class.getResourceAsStream("default.yaml")) {
      if (in == null) throw new IllegalStateException("default.yaml is missing in the agent's jar");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The configuration that holds when no file is given.
  public static AgentConfig defaults() {
    return switch (read("default.yaml", defaultText())) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong ->
          throw new IllegalStateException(wrong.problems().toString());
    };
  }

  /// Reads a file's text.
  ///
  /// @param file its name, for problems
  public static ConfigReading read(String file, String text) {
    var problems = new Problems(file);
    return reading(problems, readText(problems, "", text));
  }

  /// What became of a configuration that was read with these problems.
  static ConfigReading reading(Problems problems, Optional<AgentConfig> config) {
    return config.isPresent() && problems.size() == 0
        ? new ConfigReading.Valid(config.get())
        : new ConfigReading.Wrong(problems.sorted());
  }

  /// A text's documents, as they are asked for.
  ///
  /// @throws YamlEngineException while they are, when it is not YAML
  static Iterable<Node> documents(String text) {
    LoadSettings settings =
        LoadSettings.builder().setSchema(new CoreSchema()).setAllowNonScalarKeys(true).build();
    return new Compose(settings).composeAllFromString(text);
  }

  /// Every key that the readers ask for, `drivers.device-node.devices[].name`, as far as this text
  /// leads to it.
  static SortedSet<String> knownKeys(String text) {
    var problems = new Problems("");
    var _ = readText(problems, "", text);
    return problems.known();
  }

  /// @param key where in the file the text is; empty when it is the file's
  static Optional<AgentConfig> readText(Problems problems, String key, String text) {
    try {
      Iterator<Node> documents = documents(text).iterator();
      if (!documents.hasNext()) return empty(problems, key);
      Node first = documents.next();
      if (first.getTag().equals(Tag.NULL)) return empty(problems, key);
      if (documents.hasNext())
        problems.add(documents.next(), key, "is a second document; needed is one in a file");
      return readNode(problems, key, first);
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
      int column = e.getProblemMark().map(mark -> mark.getColumn() + 1).orElse(0);
      problems.add(line, column, key, "is not YAML: " + firstLine(String.valueOf(e.getProblem())));
    } catch (YamlEngineException e) {
      problems.add(0, 0, key, "is not YAML: " + firstLine(String.valueOf(e.getMessage())));
    }
    return Optional.empty();
  }

  /// @param key where in the file the configuration is; empty when it is the file
  static Optional<AgentConfig> readNode(Problems problems, String key, Node node) {
    return Section.of(problems, key, node).flatMap(ConfigReader::readRoot);
  }

  private static Optional<AgentConfig> empty(Problems problems, String key) {
    problems.add(0, 0, key, "is empty; needed is at least version: " + VERSION);
    return Optional.empty();
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("unreadable");
  }

  private static Optional<AgentConfig> readRoot(Section root) {
    root.requiredText("version")
        .filter(version -> !version.equals(VERSION))
        .ifPresent(version ->
            root.problem("version", "is " + version + "; this Patchbay reads version " + VERSION));
    LogConfig log = root.section("log", ConfigReader::readLog).orElse(LogConfig.DEFAULTS);
    Optional<HttpConfig> http = root.section("http", ConfigReader::readHttp);
    Set<Way> ways =
        root.section("registration", ConfigReader::readWays).orElse(Set.of(Way.KUBELET_SOCK));
    Duration rescanEvery =
        root.duration("rescan-every", Duration.ofSeconds(60), Duration.ofSeconds(1));
    Patience health = root.section("health", ConfigReader::readPatience).orElse(Patience.USUAL);
    List<OutOfService> out = root.sections("out-of-service", ConfigReader::readOutOfService);
    DriversConfig drivers =
        root.section("drivers", DriverSections::read)
            .orElseGet(() -> root.has("drivers") ? DriverSections.NONE : defaults().drivers());
    return root.end(() -> new AgentConfig(log, http, ways, rescanEvery, health, out, drivers));
  }

  private static Optional<LogConfig> readLog(Section section) {
    LogConfig.Format format = section.choice("format", FORMATS, LogConfig.DEFAULTS.format());
    System.Logger.Level level = section.choice("level", LEVELS, LogConfig.DEFAULTS.level());
    return section.end(() -> new LogConfig(format, level));
  }

  private static Optional<HttpConfig> readHttp(Section section) {
    Optional<InetSocketAddress> listen =
        section
            .requiredText("listen")
            .flatMap(text -> {
              Optional<InetSocketAddress> address = ListenAddress.parse(text);
              if (address.isEmpty())
                section.problem("listen", "is \"" + text + "\"; needed is " + ListenAddress.NEEDED);
              return address;
            });
    return section.end(() -> new HttpConfig(listen.orElseThrow()));
  }

  private static Optional<Set<Way>> readWays(Section section) {
    List<Way> ways = section.choices("ways", WAYS).orElse(List.of(Way.KUBELET_SOCK));
    if (ways.isEmpty()) section.problem("ways", "is empty; needed is at least one way");
    return section.end(() -> Set.copyOf(ways));
  }

  private static Optional<Patience> readPatience(Section section) {
    Patience usual = Patience.USUAL;
    Duration goneAfter = section.duration("gone-after", usual.goneAfter(), Duration.ZERO);
    int flapChanges = section.number("flap-changes", usual.flapChanges(), 1, 1000);
    Duration window = section.duration("flap-window", usual.flapWindow(), Duration.ZERO);
    Duration stableFor = section.duration("stable-for", usual.stableFor(), Duration.ZERO);
    return section.end(() -> new Patience(goneAfter, flapChanges, window, stableFor));
  }

  private static Optional<OutOfService> readOutOfService(Section section) {
    Optional<ResourceName> resource =
        section
            .requiredText("resource")
            .flatMap(text -> {
              Optional<String> problem = ResourceName.problemOf(text);
              problem.ifPresent(why -> section.problem("resource", why));
              return problem.isPresent() ? Optional.empty() : Optional.of(ResourceName.of(text));
            });
    Optional<String> device = section.text("device");
    String reason =
        section.text("reason").filter(text -> !text.isEmpty()).orElse("no reason given");
    return section.end(
        () -> new OutOfService(resource.orElseThrow(), device.map(DeviceId::of), reason));
  }
}
