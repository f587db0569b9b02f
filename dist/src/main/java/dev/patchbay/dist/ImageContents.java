package dev.patchbay.dist;

import dev.patchbay.dist.OciArchive.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// What lies in the image: the Java runtime with the C library that it needs, the libraries,
/// Patchbay itself. The layers are in the order in which they change ever more often.
///
/// There is no shell. `/usr/bin/patchbay` is a script whose interpreter is `java` with a file of
/// arguments; the kernel adds the script's own path and the user's arguments.
record ImageContents(Path home, StartScript start, CLibrary library, String sbom) {
  /// Where the distribution lies in the image.
  static final String INSTALLED = "/usr/lib/patchbay";

  /// Where the command lies.
  static final String COMMAND = "/usr/bin/patchbay";

  /// A user without a name on any node; 65532 is what images without a shell use.
  static final int USER = 65532;

  private static final String SCRIPT_PROPERTY = "-Dpatchbay.script=";

  List<Layer> layers() throws IOException {
    return List.of(
        new Layer("C library and Java runtime", runtime()),
        new Layer("libraries", libraries()),
        new Layer("Patchbay", program()));
  }

  private FileTree runtime() throws IOException {
    var tree = new FileTree();
    tree.text(
        "etc/passwd",
        "root:x:0:0:root:/:/sbin/nologin\npatchbay:x:%1$d:%1$d::/:/sbin/nologin\n".formatted(USER));
    tree.text("etc/group", "root:x:0:\npatchbay:x:%d:\n".formatted(USER));
    tree.folder("tmp", 01777);
    for (Path file : library.files()) tree.copy(inside(file), file);
    Path characters = library.locale().resolve("LC_CTYPE");
    tree.copy(inside(characters), characters);
    Path rights = Path.of("/usr/share/doc/libc6/copyright");
    if (Files.exists(rights)) tree.copy(inside(rights), rights);
    return tree.copyAll(
        inside(Path.of(INSTALLED)) + "/runtime", home.resolve("runtime"), _ -> true);
  }

  private FileTree libraries() throws IOException {
    return archives(name -> !PlainArchives.isOurs(name));
  }

  private FileTree program() throws IOException {
    FileTree tree = archives(PlainArchives::isOurs);
    String lib = inside(Path.of(INSTALLED)) + "/lib/";
    tree.copy(lib + "agent.aot", home.resolve("lib/agent.aot"));
    tree.text(lib + "patchbay.args", argumentFile());
    tree.program(
        inside(Path.of(COMMAND)),
        "#!" + INSTALLED + "/runtime/bin/java @" + INSTALLED + "/lib/patchbay.args\n");
    tree.folder("etc/patchbay", 0755);
    return tree.text("usr/share/doc/patchbay/patchbay.cdx.json", sbom);
  }

  /// Those of the start script, but for two: the script's own path is another, and a crash is told
  /// on standard error, since no folder can be written to.
  private String argumentFile() {
    List<String> arguments =
        start.arguments().stream()
            .map(it -> it.startsWith(SCRIPT_PROPERTY) ? SCRIPT_PROPERTY + COMMAND : it)
            .toList();
    return "-XX:+ErrorFileToStderr\n" + new StartScript(arguments, List.of()).argumentFile();
  }

  private FileTree archives(Predicate<String> wanted) throws IOException {
    return new FileTree()
        .copyAll(
            inside(Path.of(INSTALLED)) + "/lib",
            home.resolve("lib"),
            name -> name.endsWith(".jar") && wanted.test(name));
  }

  private static String inside(Path absolute) {
    return absolute.toString().substring(1);
  }
}
