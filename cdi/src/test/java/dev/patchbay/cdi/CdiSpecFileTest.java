package dev.patchbay.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CdiSpecFileTest {
  private static final String SMALL =
      """
      cdiVersion: "0.5.0"
      kind: vendor.example/device
      devices:
        - name: a
          containerEdits:
            env: [A=1]
      """;

  @TempDir Path dir;

  @Test
  void readsAllThatASpecCanSay() throws IOException {
    CdiSpec spec =
        CdiSpecFile.parse(
            """
            cdiVersion: 0.7.0
            kind: vendor.example/gpu.big
            annotations: {a: b}
            containerEdits:
              mounts:
                - {hostPath: /usr/lib/v, containerPath: /v, options: [ro, bind], type: none}
            devices:
              - name: "0"
                annotations: {x: "1"}
                containerEdits:
                  env: [GPU=0, "LIST=a=b"]
                  additionalGids: [44, 7]
                  intelRdt: {closID: c, enableMBM: true}
                  deviceNodes:
                    - path: /dev/v0
                      hostPath: /dev/real/v0
                      type: c
                      major: 10
                      minor: 232
                      fileMode: 0660
                      permissions: rw
                      uid: 1
                      gid: 2
                    - path: /dev/v1
                  hooks:
                    - {hookName: createContainer, path: /bin/h, args: [h, x], env: [E=1], timeout: 5}
            """);

    assertThat(spec.kind()).hasToString("vendor.example/gpu.big");
    assertThat(spec.annotations()).containsEntry("a", "b");
    assertThat(spec.edits().mounts())
        .containsExactly(new CdiEdits.Mount("/usr/lib/v", "/v", List.of("ro", "bind"), "none"));
    CdiEdits edits = spec.devices().getFirst().edits();
    assertThat(edits.env()).containsExactly("GPU=0", "LIST=a=b");
    assertThat(edits.additionalGids()).containsExactly(7, 44);
    assertThat(edits.intelRdt()).isEqualTo(Map.of("closID", "c", "enableMBM", true));
    assertThat(edits.deviceNodes())
        .containsExactly(
            new CdiEdits.DeviceNode("/dev/v0", "/dev/real/v0", "c", 10, 232, 0660, "rw", 1, 2),
            CdiEdits.DeviceNode.of("/dev/v1"));
    assertThat(edits.hooks())
        .containsExactly(
            new CdiEdits.Hook("createContainer", "/bin/h", List.of("h", "x"), List.of("E=1"), 5));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0"})
  void readsEveryVersion(String version) throws IOException {
    assertThat(CdiSpecFile.parse(SMALL.replace("0.5.0", version)).version()).isEqualTo(version);
  }

  @Test
  void whatIsWrittenReadsTheSame() throws IOException {
    CdiEdits edits =
        new CdiEdits(
            List.of("TEXT=with \"quotes\", \\ and \t"),
            List.of(
                new CdiEdits.DeviceNode("/dev/a", "/dev/b", "b", 8, 0, 0600, "r", 0, 0),
                CdiEdits.DeviceNode.of("/dev/c")),
            List.of(new CdiEdits.Mount("/h", "/c", List.of("ro"), "")),
            List.of(new CdiEdits.Hook("poststop", "/h", List.of(), List.of(), 0)),
            List.of(3),
            Map.of("closID", "x"));
    CdiSpec spec =
        new CdiSpec(
            "1.0.0",
            CdiKind.of("vendor.example/c"),
            Map.of("k", "v"),
            List.of(CdiSpec.Device.of("d-0", edits)),
            CdiEdits.NONE);

    Path file = CdiSpecFile.write(dir.resolve("made"), "vendor.example-c.json", spec);

    assertThat(CdiSpecFile.read(file)).isEqualTo(spec);
    try (Stream<Path> files = Files.list(dir.resolve("made"))) {
      assertThat(files).containsExactly(file);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r--r--");
  }

  static Stream<Arguments> leastVersions() {
    var node = CdiEdits.DeviceNode.of("/dev/a");
    var moved = new CdiEdits.DeviceNode("/dev/a", "/dev/b", "", -1, -1, -1, "rw", -1, -1);
    var bind = new CdiEdits.Mount("/h", "/c", List.of("ro"), "");
    var typed = new CdiEdits.Mount("/h", "/c", List.of("ro"), "tmpfs");
    return Stream.of(
        arguments("0.3.0", "v/c", "d", with(List.of(node), List.of(bind))),
        arguments("0.4.0", "v/c", "d", with(List.of(node), List.of(typed))),
        arguments("0.5.0", "v/c", "0d", with(List.of(node), List.of())),
        arguments("0.5.0", "v/c", "d", with(List.of(moved), List.of(typed))),
        arguments("0.6.0", "v/c.d", "d", with(List.of(moved), List.of())),
        arguments(
            "0.7.0",
            "v/c.d",
            "d",
            new CdiEdits(List.of(), List.of(), List.of(), List.of(), List.of(7), Map.of())));
  }

  private static CdiEdits with(List<CdiEdits.DeviceNode> nodes, List<CdiEdits.Mount> mounts) {
    return new CdiEdits(List.of(), nodes, mounts, List.of(), List.of(), Map.of());
  }

  @ParameterizedTest
  @MethodSource("leastVersions")
  void aSpecHasTheOldestVersionThatIsEnough(
      String version, String kind, String device, CdiEdits edits) throws IOException {
    CdiSpec spec = CdiSpec.of(CdiKind.of(kind), List.of(CdiSpec.Device.of(device, edits)));
    assertThat(spec.version()).isEqualTo(version);
    assertThat(CdiSpecFile.read(CdiSpecFile.write(dir, "x.json", spec))).isEqualTo(spec);
  }

  @Test
  void anInvalidSpecIsNotWritten() {
    CdiSpec spec = CdiSpec.of(CdiKind.of("vendor.example/c"), List.of());
    assertThatThrownBy(() -> CdiSpecFile.write(dir, "x.json", spec))
        .isInstanceOf(InvalidCdiSpecException.class)
        .hasMessageContaining("devices: is empty");
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void saysAllFaultsTogether() {
    InvalidCdiSpecException e =
        catchThrowableOfType(
            InvalidCdiSpecException.class,
            () ->
                CdiSpecFile.parse(
                    SMALL
                        .replace("0.5.0", "9")
                        .replace("A=1", "A")
                        .replace("name: a", "name: _a")));
    assertThat(e.problems()).hasSize(3);
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        fault("not YAML", "a: [", "neither YAML nor JSON"),
        fault("empty", "", "empty"),
        fault("a text", "hello", "has to be a mapping"),
        fault("no version", SMALL.replace("cdiVersion: \"0.5.0\"\n", ""), "cdiVersion: is \"\""),
        fault("a future version", SMALL.replace("0.5.0", "2.0.0"), "known are 0.3.0"),
        fault("no kind", SMALL.replace("kind: vendor.example/device\n", ""), "has no slash"),
        fault("a bad vendor", SMALL.replace("vendor.example", "1v"), "has the vendor \"1v\""),
        fault("an unknown field", SMALL + "edits: {}\n", "line 7: edits: is not a field"),
        fault("no device", SMALL.replaceAll("(?s)devices:.*", ""), "devices: is empty"),
        fault(
            "a device without edits",
            SMALL.replaceAll("(?s)containerEdits:.*", ""),
            "containerEdits: is empty"),
        fault("a device twice", SMALL + SMALL.substring(SMALL.indexOf("  - name")), "twice"),
        fault("a variable without value", SMALL.replace("A=1", "A"), "needed is NAME=value"),
        fault(
            "a young field",
            SMALL.replace("env: [A=1]", "additionalGids: [1]"),
            "additionalGids needs cdiVersion 0.7.0, the spec has 0.5.0"),
        fault(
            "young annotations",
            SMALL + "annotations: {a: b}\n",
            "annotations needs cdiVersion 0.6.0"),
        fault(
            "a young name",
            SMALL.replace("0.5.0", "0.4.0").replace("name: a", "name: 1a"),
            "begins with a digit needs cdiVersion 0.5.0"),
        fault(
            "a young class",
            SMALL.replace("/device", "/de.vice"),
            "a class with a dot needs cdiVersion 0.6.0"),
        fault(
            "a young host path",
            SMALL
                .replace("0.5.0", "0.4.0")
                .replace("env: [A=1]", "deviceNodes: [{path: /dev/a, hostPath: /dev/b}]"),
            "hostPath needs cdiVersion 0.5.0"),
        fault(
            "a relative node",
            SMALL.replace("env: [A=1]", "deviceNodes: [{path: dev/a}]"),
            "is relative"),
        fault(
            "a node type",
            SMALL.replace("env: [A=1]", "deviceNodes: [{path: /dev/a, type: x}]"),
            "needed is b, c, u or p"),
        fault(
            "permissions",
            SMALL.replace("env: [A=1]", "deviceNodes: [{path: /dev/a, permissions: x}]"),
            "some of r, w, m"),
        fault(
            "a number as text",
            SMALL.replace("env: [A=1]", "deviceNodes: [{path: /dev/a, major: x}]"),
            "has to be a whole number"),
        fault(
            "a mount without source",
            SMALL.replace("env: [A=1]", "mounts: [{containerPath: /a}]"),
            "hostPath: is missing"),
        fault(
            "a hook's name",
            SMALL.replace("env: [A=1]", "hooks: [{hookName: later, path: /a}]"),
            "there are prestart"),
        fault("a list that is none", SMALL.replace("[A=1]", "A=1"), "has to be a list"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void refuses(String text, String expected) {
    assertThatThrownBy(() -> CdiSpecFile.parse(text))
        .isInstanceOf(InvalidCdiSpecException.class)
        .hasMessageContaining(expected);
  }

  private static Arguments fault(String name, String text, String expected) {
    return arguments(named(name, text), expected);
  }
}
