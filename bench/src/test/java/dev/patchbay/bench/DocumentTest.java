package dev.patchbay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DocumentTest {
  @TempDir private Path directory = Path.of("/nonexistent");

  @Test
  void whatIsAroundTheFiguresIsKept() throws IOException {
    Path file = write("# Title\n" + Document.BEGIN + "old\n" + Document.END + "The end.\n");

    Document.open(file).replaceFigures("new");

    assertThat(file)
        .hasContent("# Title\n" + Document.BEGIN + "\nnew\n" + Document.END + "The end.\n");
  }

  @Test
  void figuresWrittenTwiceAreThereOnce() throws IOException {
    Path file = write(Document.BEGIN + Document.END);

    Document.open(file).replaceFigures("figures");
    Document.open(file).replaceFigures("figures");

    assertThat(file).hasContent(Document.BEGIN + "\nfigures\n" + Document.END);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        Document.BEGIN,
        Document.END,
        Document.END + Document.BEGIN,
        Document.BEGIN + Document.END + Document.END
      })
  void aFileWithoutThePlaceIsRefused(String text) throws IOException {
    Path file = write(text);

    assertThatThrownBy(() -> Document.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("bench: begin");
  }

  @Test
  void theDocumentHasThePlace() throws IOException {
    Path root = Path.of(Objects.requireNonNull(System.getProperty("patchbay.root")));

    assertThat(Document.open(root.resolve("docs/performance.md")).before()).startsWith("# ");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("performance.md"), text);
  }
}
