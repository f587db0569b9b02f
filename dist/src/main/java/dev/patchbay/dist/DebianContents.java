package dev.patchbay.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/// What lies where in the Debian package, and what it says of itself.
///
/// @param files the folder `dist/files`
record DebianContents(Path home, Path files, String version, Instant time, String sbom) {
  /// The one file whose changes an upgrade keeps.
  static final String CONFIGURATION = "etc/patchbay/patchbay.yaml";

  private static final String MAINTAINER = "Patchbay developers <developers@patchbay.dev>";

  /// As Debian compares versions: what comes before 1.0 is 1.0~….
  static String debianVersion(String version) {
    return version.replace('-', '~');
  }

  SequencedMap<String, String> fields(String architecture) {
    var fields = new LinkedHashMap<String, String>();
    fields.put("Package", "patchbay");
    fields.put("Version", debianVersion(version));
    fields.put("Architecture", architecture);
    fields.put("Maintainer", MAINTAINER);
    fields.put("Section", "admin");
    fields.put("Priority", "optional");
    // What Temurin's runtime is built for; `scripts/check-deb` looks whether it still is.
    fields.put("Depends", "libc6 (>= 2.17)");
    fields.put("Suggests", "kubelet, runc");
    fields.put(
        "Description",
        """
        Kubernetes device plugin framework
         An agent that finds a node's devices, advertises them to the kubelet and gives
         them to containers, and the commands that show what it would do.
         .
         The package brings its own Java runtime.\
        """);
    return fields;
  }

  Map<String, String> scripts() throws IOException {
    var scripts = new LinkedHashMap<String, String>();
    for (String script : List.of("postinst", "prerm", "postrm"))
      scripts.put(script, Files.readString(files.resolve("debian").resolve(script)));
    return scripts;
  }

  FileTree data() throws IOException {
    var tree = new FileTree();
    for (String part : List.of("bin", "lib", "runtime"))
      tree.copyAll("usr/lib/patchbay/" + part, home.resolve(part), _ -> true);
    tree.link("usr/bin/patchbay", "../lib/patchbay/bin/patchbay");
    tree.copy(CONFIGURATION, home.resolve("etc/patchbay.yaml"));
    tree.copy(
        "usr/lib/systemd/system/patchbay.service", home.resolve("share/systemd/patchbay.service"));
    tree.copyAll(
        "usr/share",
        home.resolve("share"),
        it -> !it.startsWith("man/") && !it.startsWith("systemd/"));
    Path man = home.resolve("share/man");
    for (Map.Entry<String, FileTree.Entry> page :
        new FileTree().copyAll("usr/share/man", man, _ -> true).entries().entrySet())
      if (page.getValue() instanceof FileTree.Copy copy)
        tree.bytes(page.getKey() + ".gz", Gzip.of(FileTree.read(copy)));
    tree.copy("usr/share/doc/patchbay/copyright", files.resolve("debian/copyright"));
    tree.bytes(
        "usr/share/doc/patchbay/changelog.gz",
        Gzip.of(changelog().getBytes(StandardCharsets.UTF_8)));
    tree.bytes(
        "usr/share/doc/patchbay/patchbay.cdx.json.gz",
        Gzip.of(sbom.getBytes(StandardCharsets.UTF_8)));
    tree.copy("usr/share/lintian/overrides/patchbay", files.resolve("debian/lintian-overrides"));
    return tree;
  }

  private String changelog() {
    String date =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss Z", Locale.ROOT)
            .format(time.atOffset(ZoneOffset.UTC));
    return """
    patchbay (%s) unstable; urgency=medium

      * Version %s; what is new stands in the project's CHANGELOG.md.

     -- %s  %s
    """
        .formatted(debianVersion(version), version, MAINTAINER, date);
  }
}
