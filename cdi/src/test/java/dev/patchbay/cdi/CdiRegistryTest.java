package dev.patchbay.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdiRegistryTest {
  private static final String SPEC =
      """
      cdiVersion: 0.5.0
      kind: vendor.example/CLASS
      containerEdits: {env: ["SPEC=MARK", "ORDER=spec"]}
      devices:
        - {name: a, containerEdits: {env: ["A=MARK", "ORDER=a"]}}
        - {name: b, containerEdits: {env: ["B=1", "ORDER=b"]}}
      """;

  @TempDir Path root;
  private Path etc;
  private Path run;

  @BeforeEach
  void directories() throws IOException {
    etc = Files.createDirectory(root.resolve("etc"));
    run = Files.createDirectory(root.resolve("run"));
  }

  @Test
  void appliesTheSpecOnceAndThenEachDevice() throws IOException {
    write(etc.resolve("one.yaml"), "gpu", "x");

    assertThat(scan().resolve(List.of("vendor.example/gpu=b", "vendor.example/gpu=a")))
        .isEqualTo(resolved("SPEC=x", "B=1", "A=x", "ORDER=a"));
  }

  @Test
  void theLaterDirectoryWins() throws IOException {
    write(etc.resolve("one.yaml"), "gpu", "weak");
    write(run.resolve("two.json"), "gpu", "strong");

    assertThat(scan().resolve(List.of("vendor.example/gpu=a")))
        .isEqualTo(resolved("SPEC=strong", "A=strong", "ORDER=a"));
    assertThat(scan().conflicts()).isEmpty();
  }

  @Test
  void theSameNameTwiceInOneDirectoryIsUsableByNobody() throws IOException {
    write(etc.resolve("one.yaml"), "gpu", "1");
    write(etc.resolve("two.yaml"), "gpu", "2");
    write(etc.resolve("three.yaml"), "nic", "3");

    CdiRegistry registry = scan();

    assertThat(registry.devices())
        .extracting(Object::toString)
        .containsExactly("vendor.example/nic=a", "vendor.example/nic=b");
    assertThat(reasons(registry, "vendor.example/gpu=a").get("vendor.example/gpu=a"))
        .contains("one.yaml", "two.yaml");
    assertThat(registry.resolve(List.of("vendor.example/nic=a")))
        .isInstanceOf(CdiRegistry.Resolution.Resolved.class);
  }

  @Test
  void aStrongerDirectorySettlesAConflict() throws IOException {
    write(etc.resolve("one.yaml"), "gpu", "1");
    write(etc.resolve("two.yaml"), "gpu", "2");
    write(run.resolve("three.yaml"), "gpu", "3");

    assertThat(scan().resolve(List.of("vendor.example/gpu=a")))
        .isEqualTo(resolved("SPEC=3", "A=3", "ORDER=a"));
  }

  @Test
  void aBadFileIsAnErrorAndHidesNothing() throws IOException {
    Path bad = Files.writeString(etc.resolve("bad.yaml"), "cdiVersion: 0.5.0\n");
    Path binary = Files.write(etc.resolve("binary.json"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    Files.writeString(etc.resolve("notes.txt"), "not a spec");
    Files.writeString(etc.resolve(".hidden.yaml"), "not a spec");
    Files.createDirectory(etc.resolve("dir.yaml"));
    write(etc.resolve("good.yaml"), "gpu", "1");

    CdiRegistry registry = scan();

    assertThat(registry.errors()).containsOnlyKeys(bad, binary);
    assertThat(registry.errors().get(bad)).contains("kind", "devices: is empty");
    assertThat(registry.devices()).hasSize(2);
  }

  @Test
  void namesThatCannotBeResolvedAreAllReported() throws IOException {
    write(etc.resolve("good.yaml"), "gpu", "1");
    assertThat(reasons(scan(), "vendor.example/gpu=a", "vendor.example/gpu=z", "gpu"))
        .containsExactly(
            Map.entry("gpu", "CDI name \"gpu\" has no '='; needed is vendor/class=device"),
            Map.entry("vendor.example/gpu=z", "no spec file has it"));
  }

  @Test
  void missingDirectoriesAreEmpty() {
    assertThat(CdiRegistry.scan(List.of(root.resolve("none"))).errors()).isEmpty();
  }

  private CdiRegistry scan() {
    return CdiRegistry.scan(List.of(etc, run));
  }

  private static Map<String, String> reasons(CdiRegistry registry, String... names) {
    return ((CdiRegistry.Resolution.Unresolved) registry.resolve(List.of(names))).reasons();
  }

  private static CdiRegistry.Resolution resolved(String... env) {
    return new CdiRegistry.Resolution.Resolved(
        new CdiEdits(List.of(env), List.of(), List.of(), List.of(), List.of(), Map.of()));
  }

  private static void write(Path file, String cls, String mark) throws IOException {
    Files.writeString(file, SPEC.replace("CLASS", cls).replace("MARK", mark));
  }
}
