package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.patchbay.dist.OciArchive.Layer;
import dev.patchbay.dist.OciArchive.Start;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OciArchiveTest {
  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
  private static final Start START =
      new Start("amd64", "65532:65532", List.of("/usr/bin/p"), List.of("PATH=/usr/bin"));
  @TempDir private Path folder = Path.of("/nonexistent");
  private byte[] archive = {};

  @BeforeEach
  void write() throws IOException {
    archive = Files.readAllBytes(write("a"));
  }

  private Path write(String name) throws IOException {
    Path file = folder.resolve(name);
    List<Layer> layers =
        List.of(
            new Layer("below", new FileTree().text("etc/passwd", "root")),
            new Layer("above", new FileTree().program("usr/bin/p", "#!/x\n")));
    new OciArchive("a.b/c:1", TIME).write(START, Map.of("key", "value"), layers, file);
    return file;
  }

  @Test
  void everyBlobHasTheNameAndSizeThatItIsReferredToBy() throws IOException {
    JsonNode manifest = blob(json("index.json").at("/manifests/0"));
    blob(manifest.at("/config"));
    assertThat(manifest.at("/layers")).hasSize(2).allSatisfy(layer -> bytes(layer));
  }

  @Test
  void theConfigurationSumsTheLayersAsTheyAreWithoutCompression() throws IOException {
    JsonNode manifest = blob(json("index.json").at("/manifests/0"));
    JsonNode config = blob(manifest.at("/config"));
    for (int at = 0; at < 2; at++) {
      byte[] layer =
          new GZIPInputStream(new ByteArrayInputStream(bytes(manifest.at("/layers/" + at))))
              .readAllBytes();
      assertThat(config.at("/rootfs/diff_ids/" + at).asText())
          .isEqualTo("sha256:" + Digest.sha256(layer));
    }
    assertThat(config.at("/config/User").asText()).isEqualTo("65532:65532");
    assertThat(config.at("/config/Entrypoint/0").asText()).isEqualTo("/usr/bin/p");
    assertThat(config.at("/history")).hasSize(2);
  }

  @Test
  void dockerFindsTheSameFiles() throws IOException {
    JsonNode image = json("manifest.json").get(0);
    JsonNode manifest = blob(json("index.json").at("/manifests/0"));
    assertThat(image.at("/RepoTags/0").asText()).isEqualTo("a.b/c:1");
    assertThat("sha256:" + image.at("/Config").asText().substring("blobs/sha256/".length()))
        .isEqualTo(manifest.at("/config/digest").asText());
    assertThat(image.at("/Layers")).hasSize(2);
  }

  @Test
  void isTheSameEachTime() throws IOException {
    assertThat(write("b")).hasBinaryContent(archive);
  }

  private JsonNode blob(JsonNode descriptor) throws IOException {
    return new JsonMapper().readTree(bytes(descriptor));
  }

  private byte[] bytes(JsonNode descriptor) {
    String digest = descriptor.at("/digest").asText().substring("sha256:".length());
    byte[] bytes = file("blobs/sha256/" + digest);
    assertThat(Digest.sha256(bytes)).isEqualTo(digest);
    assertThat(descriptor.at("/size").asInt()).isEqualTo(bytes.length);
    return bytes;
  }

  private JsonNode json(String path) throws IOException {
    return new JsonMapper().readTree(file(path));
  }

  private byte[] file(String path) {
    var found = TarReader.find(archive, path).bytes();
    byte[] bytes = new byte[found.remaining()];
    found.get(bytes);
    return bytes;
  }
}
