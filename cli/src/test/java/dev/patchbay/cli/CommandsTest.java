package dev.patchbay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What each command prints and with which status it ends.
final class CommandsTest {
  private static final String RESOURCES = "src/test/resources/";
  private static final String[] DESK = {
    "--config", RESOURCES + "desk.yaml", "--host-root", RESOURCES + "desk.tree"
  };

  @TempDir Path dir;

  private record Ended(int status, String out, String err) {}

  @ParameterizedTest
  @ValueSource(strings = {"devices", "plan"})
  void aMachineIsShownInEachFormat(String command) throws IOException {
    for (String format : new String[] {"table", "json", "yaml"}) {
      Ended ended = run(command, DESK[0], DESK[1], DESK[2], DESK[3], "-o", format);

      assertThat(ended.err()).isEmpty();
      assertThat(ended.status()).isZero();
      Golden.check(command + "." + (format.equals("table") ? "txt" : format), ended.out());
    }
  }

  @Test
  void aMachineCanBeChecked() throws IOException {
    String there = "{name: a, groups: [{paths: [{path: /dev/hwrng}]}]}";
    String missing = "{name: b, groups: [{paths: [{path: /dev/none}]}]}";

    assertThat(check(there).status()).isZero();
    assertThat(check(there + ", " + missing))
        .returns(1, Ended::status)
        .returns("patchbay: not every resource has healthy devices\n", Ended::err);
  }

  private Ended check(String devices) throws IOException {
    Path config =
        Files.writeString(
            dir.resolve("check.yaml"),
            "version: 1\ndrivers: {device-node: {devices: [" + devices + "]}}\n");
    return run("devices", "--check", "--config", config.toString(), DESK[2], DESK[3]);
  }

  @Test
  void aConfigurationWithoutFaultIsValid() {
    Ended ended = run("validate", RESOURCES + "desk.yaml");

    assertThat(ended).isEqualTo(new Ended(0, RESOURCES + "desk.yaml: valid\n", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "devices"})
  void aConfigurationCanBeInAnotherFile(String command) throws IOException {
    String config = Files.readString(Path.of(RESOURCES + "desk.yaml"));
    Path manifest =
        Files.writeString(
            dir.resolve("configmap.yaml"),
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata:\n  desk.yaml: |\n"
                + config.indent(4)
                + "  other.yaml: 'version: 1'\n");
    Path values =
        Files.writeString(
            dir.resolve("values.yaml"),
            "image: {tag: x}\nnodeGroups:\n  - name: desk\n    config:\n" + config.indent(6));
    Ended plain = run(command, DESK);

    assertThat(run(command, "--config", values.toString(), DESK[2], DESK[3])).isEqualTo(plain);
    assertThat(
            run(
                command,
                "--config",
                manifest.toString(),
                "--group",
                "p/desk.yaml",
                DESK[2],
                DESK[3]))
        .isEqualTo(plain);
    assertThat(run(command, "--config", manifest.toString(), DESK[2], DESK[3]))
        .returns(2, Ended::status)
        .returns(
            "patchbay: "
                + manifest
                + " has several configurations; needed is --group with one of p/desk.yaml, p/other.yaml\n",
            Ended::err);
    assertThat(run(command, "--config", values.toString(), "--group", "dsk", DESK[2], DESK[3]))
        .returns(2, Ended::status)
        .returns("patchbay: " + values + " has no configuration dsk: desk\n", Ended::err);
    assertThat(run("validate", manifest.toString()).out())
        .isEqualTo(manifest + ": valid (p/desk.yaml, p/other.yaml)\n");
  }

  @Test
  void everyProblemOfAConfigurationIsALineOnStandardError() throws IOException {
    Path file = Files.writeString(dir.resolve("bad.yaml"), "version: 1\nlgo: {}\nlog: 7\n");

    Ended ended = run("validate", file.toString());

    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err())
        .isEqualTo(
            file
                + ":2:1: lgo: is no known key; did you mean log?\n"
                + file
                + ":3:6: log: is \"7\"; needed is a mapping of keys to values\n");
  }

  @Test
  void problemsAreDataToo() throws IOException {
    Path file = Files.writeString(dir.resolve("bad.yaml"), "version: 1\nlgo: {}\n");

    Ended ended = run("validate", file.toString(), "-o", "json");

    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.out())
        .contains("\"valid\" : false", "\"line\" : 2", "\"column\" : 1", "\"key\" : \"lgo\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"devices", "plan", "agent"})
  void aWrongConfigurationStopsACommandWithAllProblems(String command) throws IOException {
    Path file = Files.writeString(dir.resolve("bad.yaml"), "version: 1\nlgo: {}\nlog: 7\n");

    Ended ended = run(command, "--config", file.toString());

    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.err())
        .contains("bad.yaml:2:1: lgo", "bad.yaml:3:6: log", file + " cannot be used");
  }

  @Test
  void aWrongKubeletConfigurationStopsTheKubeletWithAllProblems() throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("kubelet.yaml"),
            """
            apiVersion: kubelet.config.k8s.io/v1beta1
            kind: KubeletConfiguration
            topologyManagerPolicy: tight
            topologyManagerPolcy: none
            """);

    Ended ended =
        run(
            "kubelet",
            "--dir",
            dir.resolve("k").toString(),
            "--config",
            file.toString(),
            "--cpu-manager-policy",
            "dynamic");

    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.err())
        .contains(
            file + ":3: topologyManagerPolicy: is \"tight\"; needed is one of none,",
            file + ":4: topologyManagerPolcy: is no field of a KubeletConfiguration",
            "--cpu-manager-policy: is \"dynamic\"; needed is one of none, static",
            "the kubelet's configuration cannot be used");
    assertThat(dir.resolve("k")).doesNotExist();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                 | 2 | a command is missing
          frobnicate                         | 2 | frobnicate
          pods                               | 2 | --dir
          kubelet                            | 2 | --dir
          kubelet --dir /x --http nowhere    | 2 | --http is "nowhere"; needed is an address and a port
          kubelet --dir /x --quirks odd      | 2 | --quirks: "odd" is none of endpoints-are-not-checked, checkpoint-keeps-ended-pods
          kubelet --dir /x --kubernetes-minor 1.9 | 2 | --kubernetes-minor: "1.9" is none of 1.34, 1.35, 1.36
          kubelet --dir /x --config /nonexistent/k | 2 | /nonexistent/k: there is no such file
          kubelet --dir /x --max-pods many   | 2 | --max-pods: is "many"; needed is a whole number
          kubelet --dir /x --reserved-memory 1 | 2 | --reserved-memory: is "1"; needed is a NUMA node and its memory, such as 0:memory=1Gi
          kubelet --dir /x --feature-gates A=2 | 2 | --feature-gates: is "A=2"; needed is true or false
          kubelet --dir /x --feature-gates KubeletPodResourcesGet=false | 2 | --feature-gates: KubeletPodResourcesGet: is false; in Kubernetes 1.36 it is locked to true
          kubelet --dir /x --host-root /nonexistent | 1 | /nonexistent
          plan -o xml                        | 2 | xml
          validate                           | 2 | FILE
          validate /nonexistent/f.yaml       | 2 | /nonexistent/f.yaml: cannot be read: there is no such file
          devices --host-root /nonexistent   | 1 | /nonexistent
          pods --dir /nonexistent            | 1 | no kubelet has run in /nonexistent
          node --dir /nonexistent            | 1 | no kubelet has run in /nonexistent
          demo --pod /nonexistent/pod.yaml   | 1 | /nonexistent/pod.yaml cannot be read
          capture -o /nonexistent/x          | 1 | /nonexistent/x
          """)
  void aCommandThatCannotBeDoneSaysWhy(String line, int status, String why) {
    Ended ended = run(line.isEmpty() ? new String[0] : line.split(" ", -1));

    assertThat(ended.status()).isEqualTo(status);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err()).contains(why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "agent",
        "kubelet",
        "pods",
        "node",
        "devices",
        "plan",
        "validate",
        "capture",
        "demo"
      })
  void everyCommandHasHelp(String command) {
    Ended ended = command.isEmpty() ? run("--help") : run(command, "--help");

    assertThat(ended.status()).isZero();
    assertThat(ended.out()).startsWith("Usage: patchbay").contains("--help");
  }

  @Test
  void theStatesOfAKubeletsPodsAreShown() throws IOException {
    Files.writeString(
        dir.resolve("state.json"),
        """
        {"pid": 1, "startedAt": "2026-02-11T09:30:00Z", "runtime": "runc",
         "node": {"capacity": {"a.b/c": 3}, "allocatable": {"a.b/c": 2}},
         "pods": [
          {"uid": "u", "namespace": "default", "name": "one", "file": "/m/one.yaml", "phase": "Running", "reason": "",
           "message": "", "refused": false, "containers": [
             {"name": "main", "init": false, "sidecar": false, "state": "Running", "reason": "", "message": "",
              "pid": 7, "exitCode": -1, "restarts": 0, "devices": {"a.b/c": ["d0", "d1"]},
              "unhealthy": {"a.b/c": ["d1"]},
              "edits": {"env": {}, "deviceNodes": [], "mounts": [], "annotations": {}, "cdiDevices": []}, "log": "/l"}]},
          {"uid": "v", "namespace": "default", "name": "two", "file": "/m/two.yaml", "phase": "Failed",
           "reason": "UnexpectedAdmissionError", "message": "too few", "refused": true, "containers": [
             {"name": "main", "init": false, "sidecar": false, "state": "Waiting", "reason": "", "message": "",
              "pid": 0, "exitCode": -1, "restarts": 0, "devices": {}, "unhealthy": {},
              "edits": {"env": {}, "deviceNodes": [], "mounts": [], "annotations": {}, "cdiDevices": []}, "log": ""}]}],
         "problems": ["/m/x.yaml:1: is not YAML"]}
        """);

    Golden.check("pods.txt", run("pods", "--dir", dir.toString()).out());
    Golden.check("pods.json", run("pods", "--dir", dir.toString(), "-o", "json").out());
    Golden.check("node.txt", run("node", "--dir", dir.toString()).out());
    Golden.check("node.yaml", run("node", "--dir", dir.toString(), "-o", "yaml").out());
  }

  @Test
  void aCapturedMachineIsTheSameMachine() throws IOException {
    Path archive = dir.resolve("machine.tree");
    Path config =
        Files.writeString(
            dir.resolve("c.yaml"),
            "version: 1\ndrivers: {device-node: {devices: [{name: a, groups: [{paths: [{path: '/dev/*[01vg]'}]}]}]}}");

    assertThat(run("capture", "--host-root", DESK[3], "-o", archive.toString()).err()).isEmpty();

    String[] original = {"devices", "--config", config.toString(), "--host-root", DESK[3]};
    String[] copy = {"devices", "--config", config.toString(), "--host-root", archive.toString()};
    assertThat(run(copy)).isEqualTo(run(original));
    assertThat(run(copy).out()).contains("ttyUSB1", "hwrng").containsPattern("ttyUSB0 .* 1 ");
  }

  private static Ended run(String first, String... more) {
    String[] all = new String[more.length + 1];
    all[0] = first;
    System.arraycopy(more, 0, all, 1, more.length);
    return run(all);
  }

  private static Ended run(String[] args) {
    var out = new StringWriter();
    var err = new StringWriter();
    int status = Patchbay.run(new PrintWriter(out), new PrintWriter(err), args);
    return new Ended(status, out.toString(), err.toString());
  }
}
