package dev.patchbay.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Completes the list of components that the build makes of its archives (CycloneDX 1.6) by what
/// the build does not know: the Java runtime, and for an image the C library.
final class Sbom {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String PROGRAM = "patchbay";
  private final ObjectNode bom;
  private final ArrayNode components;
  private final ArrayNode needed = JSON.createArrayNode();

  private Sbom(ObjectNode bom) {
    this.bom = bom;
    this.components = bom.withArray("components");
  }

  /// Of the distribution.
  ///
  /// @param maven what the CycloneDX plugin for Maven wrote
  /// @throws IOException also when it names other archives than the distribution has
  static Sbom of(Path maven, Path home, String version) throws IOException {
    var sbom = new Sbom((ObjectNode) JSON.readTree(maven.toFile()));
    sbom.nameTheProgram(version);
    sbom.checkArchives(home.resolve("lib"));
    sbom.addRuntime(home.resolve("runtime/release"));
    return sbom;
  }

  String text() throws IOException {
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bom) + "\n";
  }

  private void nameTheProgram(String version) {
    String old = bom.at("/metadata/component/bom-ref").asText();
    bom.withObject("/metadata").set("component", program(version));
    for (JsonNode dependency : bom.withArray("dependencies"))
      if (dependency.path("ref").asText().equals(old)) {
        needed.addAll((ArrayNode) dependency.withArray("dependsOn"));
        ((ObjectNode) dependency).put("ref", PROGRAM).set("dependsOn", needed);
      }
  }

  private static ObjectNode program(String version) {
    return JSON.createObjectNode()
        .put("type", "application")
        .put("bom-ref", PROGRAM)
        .put("name", PROGRAM)
        .put("version", version)
        .put("description", "The Kubernetes device plugin framework")
        .put("purl", "pkg:generic/patchbay@" + version);
  }

  /// Each archive has its component and each component its archive. Of the checksums one is kept;
  /// where the distribution changed an archive, both it and what is shipped are said.
  private void checkArchives(Path lib) throws IOException {
    SortedMap<String, Path> shipped = new TreeMap<>();
    try (Stream<Path> files = Files.list(lib)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".jar")).toList())
        shipped.put(file.getFileName().toString(), file);
    }
    SortedSet<String> named = new TreeSet<>();
    for (JsonNode each : components) {
      String name = each.path("name").asText() + "-" + each.path("version").asText() + ".jar";
      named.add(name);
      Path file = shipped.get(name);
      if (file != null) describe((ObjectNode) each, Digest.sha256(Files.readAllBytes(file)));
    }
    SortedSet<String> unknown = new TreeSet<>(shipped.keySet());
    unknown.removeAll(named);
    named.removeAll(shipped.keySet());
    if (!unknown.isEmpty() || !named.isEmpty())
      throw new IOException(
          "the list of components lacks %s of the distribution's archives, and has %s, which are not there"
              .formatted(unknown, named));
  }

  private static void describe(ObjectNode component, String shipped) {
    String built = "";
    for (JsonNode hash : component.withArray("hashes"))
      if (hash.path("alg").asText().equals("SHA-256")) built = hash.path("content").asText();
    // Of ours, what Maven made is nowhere to be had.
    boolean isOurs = component.path("group").asText().equals("dev.patchbay");
    component
        .putArray("hashes")
        .addObject()
        .put("alg", "SHA-256")
        .put("content", isOurs ? shipped : built);
    if (isOurs || built.equals(shipped)) return;
    component
        .withObject("/pedigree")
        .put(
            "notes",
            "Class files in old formats were raised to that of Java 8 without other changes.");
    property(component, "patchbay:shipped:sha256", shipped);
  }

  private void addRuntime(Path release) throws IOException {
    var facts = new Properties();
    try (var in = Files.newBufferedReader(release)) {
      facts.load(in);
    }
    facts.replaceAll((_, value) -> value.toString().replaceAll("^\"|\"$", ""));
    String version = facts.getProperty("JAVA_RUNTIME_VERSION", facts.getProperty("JAVA_VERSION"));
    ObjectNode runtime =
        add(
            "platform",
            "openjdk",
            version,
            "pkg:generic/openjdk@" + version.replace("+", "%2B"),
            "GPL-2.0-only WITH Classpath-exception-2.0");
    runtime.withObject("/supplier").put("name", facts.getProperty("IMPLEMENTOR", "unknown"));
    runtime.put(
        "cpe", "cpe:2.3:a:oracle:openjdk:" + facts.getProperty("JAVA_VERSION") + ":*:*:*:*:*:*:*");
    property(runtime, "patchbay:modules", facts.getProperty("MODULES"));
  }

  /// Adds the C library of an image.
  Sbom with(CLibrary library) throws IOException, InterruptedException {
    Path first = library.files().getFirst().toRealPath();
    Optional<String> owner = Command.outputIfAny("dpkg-query", "-S", first.toString());
    if (owner.isPresent()) addPackage(owner.get().split(":", 2)[0]);
    else {
      String version = Command.output("getconf", "GNU_LIBC_VERSION").strip().split(" ", 2)[1];
      add("library", "glibc", version, "pkg:generic/glibc@" + version, "LGPL-2.1-or-later");
    }
    List<String> files = library.files().stream().map(Path::toString).toList();
    property(
        (ObjectNode) components.get(components.size() - 1),
        "patchbay:files",
        String.join(" ", files));
    return this;
  }

  private void addPackage(String name) throws IOException, InterruptedException {
    String[] facts =
        Command.output("dpkg-query", "-W", "-f", "${Version} ${Architecture}\n", name)
            .lines()
            .findFirst()
            .orElseThrow()
            .split(" ", 2);
    String distribution =
        Files.readString(Path.of("/etc/os-release"))
            .lines()
            .filter(it -> it.startsWith("ID="))
            .findFirst()
            .orElse("ID=debian")
            .substring(3);
    add(
        "library",
        name,
        facts[0],
        "pkg:deb/%s/%s@%s?arch=%s"
            .formatted(distribution, name, facts[0].replace("+", "%2B"), facts[1]),
        "LGPL-2.1-or-later");
  }

  private ObjectNode add(String type, String name, String version, String purl, String license) {
    ObjectNode component =
        components
            .addObject()
            .put("type", type)
            .put("bom-ref", purl)
            .put("name", name)
            .put("version", version)
            .put("scope", "required");
    component.putArray("licenses").addObject().put("expression", license);
    component.put("purl", purl);
    needed.add(purl);
    return component;
  }

  private static void property(ObjectNode component, String name, String value) {
    component.withArray("properties").addObject().put("name", name).put("value", value);
  }
}
