package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlainArchivesTest {
  @TempDir private Path folder = Path.of("/nonexistent");

  @Test
  void ourArchivesAreTheSameWhateverTheUmaskWas() throws IOException {
    Path open = archive("patchbay-a.jar", "rw-r--r--");
    Path closed = archive("patchbay-b.jar", "rw-------");
    assertThat(open).satisfies(it -> assertThat(Files.mismatch(it, closed)).isNotNegative());

    PlainArchives.main(new String[] {folder.toString()});

    assertThat(open).hasSameBinaryContentAs(closed);
    try (var plain = FileSystems.newFileSystem(open)) {
      assertThat(plain.getPath("folder/file")).content().isEqualTo("text");
    }
  }

  @Test
  void thoseOfOthersStayAsTheyWere() throws IOException {
    Path library = archive("library.jar", "rw-------");
    byte[] before = Files.readAllBytes(library);
    PlainArchives.main(new String[] {folder.toString()});
    assertThat(library).hasBinaryContent(before);
  }

  private Path archive(String name, String permissions) throws IOException {
    Path archive = folder.resolve(name);
    var settings = Map.of("create", "true", "enablePosixFileAttributes", "true");
    try (var zip = FileSystems.newFileSystem(URI.create("jar:" + archive.toUri()), settings)) {
      Files.createDirectory(zip.getPath("folder"));
      Path file = Files.writeString(zip.getPath("folder/file"), "text");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      for (Path each : new Path[] {file, zip.getPath("folder")})
        Files.setLastModifiedTime(each, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
    }
    return archive;
  }
}
