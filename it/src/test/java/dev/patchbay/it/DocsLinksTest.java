package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Links in the documentation lead somewhere, and code in it is the code that is compiled.
final class DocsLinksTest {
  private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules");

  @Test
  void everyRelativeLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path file : markdownFiles())
      for (Markdown.Link link : Markdown.parse(Files.readString(file)).links()) {
        links++;
        problemOf(file, link.target())
            .ifPresent(problem ->
                broken.add(
                    "%s:%d: %s: %s"
                        .formatted(
                            Repository.ROOT.relativize(file),
                            link.line(),
                            link.target(),
                            problem)));
      }
    assertThat(broken).isEmpty();
    assertThat(links).as("links that were looked at").isPositive();
  }

  private static Optional<String> problemOf(Path file, String target) throws IOException {
    if (target.matches("[a-z][a-z0-9+.-]*:.*")) return Optional.empty();
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path led = path.isEmpty() ? file : file.resolveSibling(path).normalize();
    if (!led.startsWith(Repository.ROOT)) return Optional.of("leads out of the repository");
    if (Files.notExists(led)) return Optional.of("there is no such file");
    if (hash < 0 || !led.toString().endsWith(".md")) return Optional.empty();
    Set<String> anchors = Markdown.parse(Files.readString(led)).anchors();
    return anchors.contains(target.substring(hash + 1))
        ? Optional.empty()
        : Optional.of("there is no such heading, but " + anchors);
  }

  @Test
  void everyCopyOfASourceFileIsThatFile() throws IOException {
    List<String> copied = new ArrayList<>();
    for (Path file : markdownFiles())
      for (Markdown.SourceCopy copy : Markdown.parse(Files.readString(file)).copies()) {
        assertThat(copy.text())
            .as("block of code right below line %d of %s", copy.line(), file)
            .isPresent();
        assertThat(copy.text().orElseThrow())
            .as("%s:%d, a copy of %s", Repository.ROOT.relativize(file), copy.line(), copy.path())
            .isEqualTo(Files.readString(Repository.ROOT.resolve(copy.path())).strip());
        copied.add(copy.path());
      }
    assertThat(copied).contains("sdk/src/test/java/dev/patchbay/sdk/example/FusePlugin.java");
  }

  private static List<Path> markdownFiles() throws IOException {
    try (Stream<Path> tree = Files.walk(Repository.ROOT)) {
      return tree.filter(path -> path.toString().endsWith(".md"))
          .filter(DocsLinksTest::isOurs)
          .sorted()
          .toList();
    }
  }

  private static boolean isOurs(Path path) {
    for (Path part : Repository.ROOT.relativize(path))
      if (NOT_OURS.contains(part.toString())) return false;
    return true;
  }
}
