package dev.patchbay.dist;

import dev.patchbay.dist.OciArchive.Start;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `Packages FORMATS FOLDER VERSION TIME REVISION`: makes packages of the distribution that lies in
/// `FOLDER/target/patchbay`, and their lists of components, in `FOLDER/target`.
///
/// FORMATS are some of `tar`, `deb` and `image`, with commas between them; TIME is that of all
/// files; REVISION is the commit that was built.
public final class Packages {
  /// Where the image is named to come from.
  private static final String REPOSITORY = "patchbay.dev/patchbay";

  private final Path files;
  private final Path target;
  private final Path home;
  private final String version;
  private final Instant time;
  private final String revision;
  private final List<Path> made = new ArrayList<>();

  private Packages(Path dist, String version, Instant time, String revision) {
    this.files = dist.resolve("files");
    this.target = dist.resolve("target");
    this.home = target.resolve("patchbay");
    this.version = version;
    this.time = time;
    this.revision = revision;
  }

  /// Makes the packages and says what was made.
  public static void main(String[] args) throws IOException, InterruptedException {
    var packages = new Packages(Path.of(args[1]), args[2], Instant.parse(args[3]), args[4]);
    for (String format : args[0].split(",", -1))
      switch (format) {
        case "tar" -> packages.tar();
        case "deb" -> packages.deb();
        case "image" -> packages.image();
        default ->
            throw new IllegalArgumentException(
                "no package is called " + format + "; tar, deb and image are");
      }
    for (Path file : packages.made) System.out.printf("%,15d  %s%n", Files.size(file), file);
  }

  private void tar() throws IOException {
    String sbom = sbom().text();
    String name = "patchbay-" + version + "-linux-" + architecture();
    FileTree tree = new FileTree().copyAll("", home, _ -> true);
    tree.text("share/doc/patchbay/patchbay.cdx.json", sbom);
    tree.copy("README", files.resolve("README"));
    Path file = target.resolve(name + ".tar.gz");
    try (var out = new Gzip(new BufferedOutputStream(Files.newOutputStream(file)))) {
      new Tar(time, name + "/").write(tree, out);
    }
    made.add(file);
    made.add(Files.writeString(target.resolve(name + ".cdx.json"), sbom));
  }

  private void deb() throws IOException {
    var contents = new DebianContents(home, files, version, time, sbom().text());
    Path file =
        target.resolve(
            "patchbay_" + DebianContents.debianVersion(version) + "_" + architecture() + ".deb");
    new DebianPackage(time, List.of("/" + DebianContents.CONFIGURATION))
        .write(contents.fields(architecture()), contents.scripts(), contents.data(), file);
    made.add(file);
  }

  private void image() throws IOException, InterruptedException {
    CLibrary library = CLibrary.neededBy(home.resolve("runtime"));
    String sbom = sbom().with(library).text();
    StartScript script = StartScript.ofAgent(home, ImageContents.INSTALLED);
    List<String> environment = new ArrayList<>(List.of("PATH=/usr/bin"));
    environment.addAll(script.environment());
    String user = ImageContents.USER + ":" + ImageContents.USER;
    var start = new Start(architecture(), user, List.of(ImageContents.COMMAND), environment);
    String name = "patchbay-" + version + "-" + architecture() + ".oci";
    Path file = target.resolve(name + ".tar");
    new OciArchive(REPOSITORY + ":" + version, time)
        .write(start, labels(), new ImageContents(home, script, library, sbom).layers(), file);
    made.add(file);
    made.add(Files.writeString(target.resolve(name + ".cdx.json"), sbom));
  }

  /// The keys are those of the OCI image specification, `annotations.md`.
  private Map<String, String> labels() {
    var labels = new LinkedHashMap<String, String>();
    labels.put("org.opencontainers.image.title", "patchbay");
    labels.put("org.opencontainers.image.description", "The Kubernetes device plugin framework");
    labels.put("org.opencontainers.image.vendor", "Patchbay");
    labels.put("org.opencontainers.image.version", version);
    labels.put("org.opencontainers.image.revision", revision);
    labels.put("org.opencontainers.image.created", time.toString());
    return labels;
  }

  private Sbom sbom() throws IOException {
    return Sbom.of(target.resolve("bom.json"), home, version);
  }

  /// In the words of Go and Debian, which are the same for these.
  private static String architecture() {
    String here = System.getProperty("os.arch");
    return switch (here) {
      case "amd64" -> "amd64";
      case "aarch64" -> "arm64";
      default ->
          throw new IllegalStateException("no package is made for a machine of kind " + here);
    };
  }
}
