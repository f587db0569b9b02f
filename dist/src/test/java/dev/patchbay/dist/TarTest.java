package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.patchbay.dist.TarReader.Item;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TarTest {
  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
  @TempDir private Path folder = Path.of("/nonexistent");

  @Test
  void ordersByPathAndMakesTheFoldersThatNobodyNamed() throws Exception {
    var tree = new FileTree().text("b/deep/file", "x").folder("c", 01777).text("a", "");

    assertThat(TarReader.read(tarOf("", tree)))
        .extracting(Item::path, Item::mode, Item::kind)
        .containsExactly(
            tuple("a", "0000644", '0'),
            tuple("b/", "0000755", '5'),
            tuple("b/deep/", "0000755", '5'),
            tuple("b/deep/file", "0000644", '0'),
            tuple("c/", "0001777", '5'));
  }

  @Test
  void keepsNothingOfTheBuildingMachineButBytesAndWhetherItCanBeExecuted() throws Exception {
    Path program = Files.writeString(folder.resolve("program"), "run");
    Path data = Files.writeString(folder.resolve("data"), "read");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx--x---"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rw-rw----"));
    Files.setLastModifiedTime(data, FileTime.from(Instant.EPOCH));
    Files.createSymbolicLink(folder.resolve("link"), Path.of("program"));

    List<Item> items = TarReader.read(tarOf("./", new FileTree().copyAll("in", folder, _ -> true)));

    assertThat(items)
        .extracting(Item::path)
        .containsExactly("./", "./in/", "./in/data", "./in/link", "./in/program");
    assertThat(items).extracting(Item::mode).endsWith("0000644", "0000777", "0000755");
    assertThat(items).extracting(Item::owner).containsOnly("0000000:0000000");
    assertThat(items).extracting(Item::time).containsOnly(TIME.getEpochSecond());
    assertThat(items.get(3).target()).isEqualTo("program");
    assertThat(items.get(2).text()).isEqualTo("read");
  }

  @Test
  void theSystemsTarReadsIt() throws Exception {
    String longest = "d".repeat(60) + "/" + "e".repeat(60) + "/" + "f".repeat(100);
    Path archive = folder.resolve("a.tar");
    Files.write(archive, tarOf("top/", new FileTree().text(longest, "text").link("l", "to")));

    assertThat(Command.output("tar", "-tf", archive.toString()).lines())
        .contains("top/", "top/l", "top/" + longest);
  }

  @Test
  void aPathThatDoesNotFitIsRefused() {
    var tree = new FileTree().text("a".repeat(101), "");
    assertThatThrownBy(() -> tarOf("", tree))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too long");
  }

  private static byte[] tarOf(String root, FileTree tree) throws IOException {
    var out = new ByteArrayOutputStream();
    new Tar(TIME, root).write(tree, out);
    return out.toByteArray();
  }
}
