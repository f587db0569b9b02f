package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DebianPackageTest {
  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
  @TempDir private Path folder = Path.of("/nonexistent");

  @Test
  void isAnArchiveOfThreeInTheirOrder() throws Exception {
    assertThat(members(build()).sequencedKeySet())
        .containsExactly("debian-binary", "control.tar.gz", "data.tar.gz");
    assertThat(member("debian-binary")).asString().isEqualTo("2.0\n");
  }

  @Test
  void saysTheSizeBeforeTheDescription() throws Exception {
    // Two files and a link of one KiB each, one file of two, four folders.
    assertThat(control("./control"))
        .isEqualTo(
            """
            Package: p
            Installed-Size: 9
            Description: short
             long
            """);
  }

  @Test
  void sumsEveryFileButTheConfiguration() throws Exception {
    assertThat(control("./md5sums").lines())
        .containsExactly(
            Digest.md5(new byte[1025]) + "  usr/bin/p",
            Digest.md5("text".getBytes(StandardCharsets.UTF_8)) + "  usr/share/text");
    assertThat(control("./conffiles")).isEqualTo("/etc/p.conf\n");
  }

  @Test
  void itsScriptsCanBeExecuted() throws Exception {
    byte[] tar = unpacked(member("control.tar.gz"));
    assertThat(TarReader.find(tar, "./postinst").mode()).isEqualTo("0000755");
  }

  private String control(String file) throws Exception {
    return TarReader.find(unpacked(member("control.tar.gz")), file).text();
  }

  private byte[] member(String name) throws Exception {
    return Objects.requireNonNull(members(build()).get(name), name);
  }

  private byte[] build() throws Exception {
    var data =
        new FileTree()
            .text("etc/p.conf", "a: b")
            .text("usr/share/text", "text")
            .bytes("usr/bin/p", new byte[1025])
            .link("usr/bin/q", "p");
    var fields = new LinkedHashMap<String, String>();
    fields.put("Package", "p");
    fields.put("Description", "short\n long");
    Path file = folder.resolve("p.deb");
    new DebianPackage(TIME, List.of("/etc/p.conf"))
        .write(fields, Map.of("postinst", "#!/bin/sh\n"), data, file);
    return Files.readAllBytes(file);
  }

  private static SequencedMap<String, byte[]> members(byte[] archive) {
    var members = new LinkedHashMap<String, byte[]>();
    String text = new String(archive, StandardCharsets.ISO_8859_1);
    assertThat(text).startsWith("!<arch>\n");
    for (int at = 8; at < text.length(); ) {
      int size = Integer.parseInt(text.substring(at + 48, at + 58).strip());
      assertThat(text.substring(at + 58, at + 60)).isEqualTo("`\n");
      String bytes = text.substring(at + 60, at + 60 + size);
      members.put(text.substring(at, at + 16).strip(), bytes.getBytes(StandardCharsets.ISO_8859_1));
      at += 60 + size + size % 2;
    }
    return members;
  }

  private static byte[] unpacked(byte[] packed) throws Exception {
    try (var in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    }
  }
}
