package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cyclonedx.Version;
import org.cyclonedx.parsers.JsonParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SbomTest {
  private static final String SHIPPED = Digest.sha256("bytes".getBytes(StandardCharsets.UTF_8));
  @TempDir private Path folder = Path.of("/nonexistent");

  @BeforeEach
  void makeDistribution() throws IOException {
    Files.createDirectories(folder.resolve("lib"));
    Files.writeString(folder.resolve("lib/a-1.jar"), "bytes");
    Files.createDirectories(folder.resolve("runtime"));
    Files.writeString(
        folder.resolve("runtime/release"),
        """
        IMPLEMENTOR="Some Foundation"
        JAVA_RUNTIME_VERSION="25.0.3+9-LTS"
        JAVA_VERSION="25.0.3"
        MODULES="java.base java.logging"
        """);
  }

  @Test
  void addsTheRuntimeToWhatTheBuildKnows() throws IOException {
    JsonNode bom = complete(SHIPPED);
    JsonNode runtime = bom.at("/components/1");
    assertThat(runtime.at("/purl").asText()).isEqualTo("pkg:generic/openjdk@25.0.3%2B9-LTS");
    assertThat(runtime.at("/supplier/name").asText()).isEqualTo("Some Foundation");
    assertThat(bom.at("/metadata/component/name").asText()).isEqualTo("patchbay");
    assertThat(bom.at("/dependencies/0/ref").asText()).isEqualTo("patchbay");
    assertThat(bom.at("/dependencies/0/dependsOn").toString())
        .isEqualTo("[\"pkg:maven/a@1\",\"pkg:generic/openjdk@25.0.3%2B9-LTS\"]");
  }

  @Test
  void saysOfAnArchiveThatTheDistributionChangedWhatIsShipped() throws IOException {
    assertThat(complete(SHIPPED).at("/components/0").has("pedigree")).isFalse();
    JsonNode changed = complete("0".repeat(64)).at("/components/0");
    assertThat(changed.at("/hashes/0/content").asText()).isEqualTo("0".repeat(64));
    assertThat(changed.at("/properties/0/value").asText()).isEqualTo(SHIPPED);
    assertThat(changed.at("/pedigree/notes").asText()).contains("raised");
  }

  @Test
  void ofOurOwnArchivesItSaysWhatIsShippedAlone() throws IOException {
    Path maven = maven("0".repeat(64));
    Files.writeString(
        maven,
        Files.readString(maven)
            .replace("\"name\": \"a\",", "\"name\": \"a\", \"group\": \"dev.patchbay\","));
    JsonNode ours =
        new JsonMapper().readTree(Sbom.of(maven, folder, "2").text()).at("/components/0");
    assertThat(ours.at("/hashes/0/content").asText()).isEqualTo(SHIPPED);
    assertThat(ours.has("pedigree")).isFalse();
  }

  @Test
  void anArchiveThatNoComponentIsForIsRefused() throws IOException {
    Files.writeString(folder.resolve("lib/stray-1.jar"), "");
    assertThatThrownBy(() -> complete(SHIPPED))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("stray-1.jar");
  }

  @Test
  void isValidByTheSchema() throws Exception {
    Sbom sbom = Sbom.of(maven("0".repeat(64)), folder, "2");
    String text = sbom.with(CLibrary.neededBy(Path.of(System.getProperty("java.home")))).text();
    assertThat(new JsonParser().validate(text.getBytes(StandardCharsets.UTF_8), Version.VERSION_16))
        .isEmpty();
    assertThat(text).contains("\"LGPL-2.1-or-later\"");
  }

  private JsonNode complete(String built) throws IOException {
    return new JsonMapper().readTree(Sbom.of(maven(built), folder, "2").text());
  }

  private Path maven(String built) throws IOException {
    return Files.writeString(
        folder.resolve("bom.json"),
        """
        {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": {"type": "library", "name": "d", "bom-ref": "dist"}},
         "components": [{"type": "library", "name": "a", "version": "1", "purl": "pkg:maven/a@1", "bom-ref": "pkg:maven/a@1",
           "hashes": [{"alg": "MD5", "content": "d41d8cd98f00b204e9800998ecf8427e"}, {"alg": "SHA-256", "content": "%s"}]}],
         "dependencies": [{"ref": "dist", "dependsOn": ["pkg:maven/a@1"]}]}
        """
            .formatted(built));
  }
}
