package dev.patchbay.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathSpec;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.PathType;
import dev.patchbay.drivers.devicenode.DeviceNodeConfig.UsbSpec;
import dev.patchbay.drivers.kubevirt.KubevirtConfig;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import dev.patchbay.sdk.PluginHostConfig.Way;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigReaderTest {
  @Test
  void aVersionAloneMeansTheDefaults() {
    assertThat(valid("version: 1")).isEqualTo(ConfigReader.defaults());
  }

  @Test
  void theDefaultsOfEachKeyAreThese() {
    AgentConfig config = ConfigReader.defaults();

    assertThat(config.log())
        .isEqualTo(new LogConfig(LogConfig.Format.TEXT, System.Logger.Level.INFO));
    assertThat(config.registration()).containsExactly(Way.KUBELET_SOCK);
    assertThat(config.rescanEvery()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.health())
        .isEqualTo(
            new Patience(Duration.ofMinutes(5), 3, Duration.ofMinutes(1), Duration.ofSeconds(10)));
    assertThat(config.outOfService()).isEmpty();
    assertThat(config.drivers().kubevirt())
        .contains(new KubevirtConfig(1000, Set.of(Preset.values()), HealthCheck.EXISTS));
    assertThat(config.drivers().deviceNode().orElseThrow().domain()).isEqualTo("patchbay.dev");
  }

  @Test
  void aDriverThatIsNotNamedIsOff() {
    DriversConfig drivers = valid("version: 1\ndrivers: {kubevirt: {}}").drivers();

    assertThat(drivers.deviceNode()).isEmpty();
    assertThat(drivers.kubevirt()).contains(KubevirtConfig.DEFAULTS);
    assertThat(valid("version: 1\ndrivers:\n").drivers()).isEqualTo(DriverSections.NONE);
  }

  @Test
  void readsEachKeyOfADeviceNode() {
    DeviceNodeConfig config =
        valid(
                """
                version: 1
                drivers:
                  device-node:
                    domain: a.b
                    id-scheme: compat
                    devices:
                      - name: c
                        groups:
                          - count: 4
                            health-check: open
                            paths:
                              - {path: "/dev/x*", mount-path: /y/, permissions: rw, limit: 7, optional: true}
                              - {path: /etc/z, type: mount, read-only: true}
                          - usb: [{vendor: 1050, product: "0x0407", serial: 0012}]
                """)
            .drivers()
            .deviceNode()
            .orElseThrow();

    assertThat(config)
        .isEqualTo(
            new DeviceNodeConfig(
                "a.b",
                DeviceNodeConfig.IdScheme.COMPAT,
                List.of(
                    new DeviceNodeConfig.NodeResource(
                        "c",
                        List.of(
                            new DeviceNodeConfig.Group(
                                4,
                                List.of(
                                    new PathSpec(
                                        "/dev/x*", "/y/", PathType.DEVICE, "rw", false, 7, true),
                                    new PathSpec(
                                        "/etc/z", "", PathType.MOUNT, "mrw", true, 1, false)),
                                List.of(),
                                HealthCheck.OPEN),
                            new DeviceNodeConfig.Group(
                                1,
                                List.of(),
                                List.of(new UsbSpec(0x1050, 0x0407, "0012")),
                                HealthCheck.EXISTS))))));
  }

  @Test
  void readsTheRest() {
    AgentConfig config =
        valid(
            """
            version: "1"
            log: {format: json, level: debug}
            http: {listen: "[::1]:10680"}
            registration: {ways: [plugins-registry]}
            rescan-every: 1h30m
            health: {gone-after: 0s, flap-changes: 9, flap-window: 90s, stable-for: 250ms}
            out-of-service:
              - {resource: a.b/c, device: d-1, reason: broken fan}
              - resource: a.b/e
            """);

    assertThat(config.log())
        .isEqualTo(new LogConfig(LogConfig.Format.JSON, System.Logger.Level.DEBUG));
    assertThat(config.http())
        .contains(new HttpConfig(new InetSocketAddress(InetAddress.ofLiteral("::1"), 10680)));
    assertThat(config.registration()).containsExactly(Way.PLUGINS_REGISTRY);
    assertThat(config.rescanEvery()).isEqualTo(Duration.ofMinutes(90));
    assertThat(config.health())
        .isEqualTo(new Patience(Duration.ZERO, 9, Duration.ofSeconds(90), Duration.ofMillis(250)));
    OutOfService one = config.outOfService().getFirst();
    assertThat(one.concerns(ResourceName.of("a.b/c"), DeviceId.of("d-1"))).isTrue();
    assertThat(one.concerns(ResourceName.of("a.b/c"), DeviceId.of("d-2"))).isFalse();
    assertThat(one.reason()).isEqualTo("broken fan");
    OutOfService all = config.outOfService().getLast();
    assertThat(all.concerns(ResourceName.of("a.b/e"), DeviceId.of("any"))).isTrue();
    assertThat(all.concerns(ResourceName.of("a.b/c"), DeviceId.of("any"))).isFalse();
  }

  @Test
  void allProblemsAreNamedTogetherInTheOrderOfTheFile() {
    assertThat(
            problems(
                """
                version: 2
                lgo: {}
                log: {level: lod, format: xml}
                health: {gone-after: 5, flap-changes: 0}
                drivers:
                  kubevrt: {}
                  kubevirt: {max-devices: 1e5, presets: [kvm, kmv, kvm]}
                  device-node:
                    domain: x.y
                    domain: z.y
                    devices:
                      - name: a_
                        groups:
                          - count: -1
                            paths: [{pth: /dev/x}, {path: dev/y}, {path: /d, permissions: rx, mountPath: /a}]
                          - usb: [{vendor: 105z, product: 12}]
                """))
        .containsExactly(
            "f.yaml:1:10: version: is 2; this Patchbay reads version 1",
            "f.yaml:2:1: lgo: is no known key; did you mean log?",
            "f.yaml:3:14: log.level: is \"lod\"; needed is one of debug, info, warning, error",
            "f.yaml:3:27: log.format: is \"xml\"; needed is one of text, json",
            "f.yaml:4:22: health.gone-after: is \"5\"; needed is a time with its unit, such as 500ms, 10s, 5m or 1h30m",
            "f.yaml:4:39: health.flap-changes: is \"0\"; needed is a whole number from 1 to 1000",
            "f.yaml:6:3: drivers.kubevrt: is no known key; did you mean kubevirt?",
            "f.yaml:7:27: drivers.kubevirt.max-devices: is \"1e5\"; needed is a whole number from 1 to 10000",
            "f.yaml:7:47: drivers.kubevirt.presets[1]: is \"kmv\"; needed is one of kvm, tun, vhost-net, vhost-vsock, fuse; kvm is near",
            "f.yaml:7:52: drivers.kubevirt.presets[2]: stands there twice",
            "f.yaml:10:5: drivers.device-node.domain: is given twice; needed is once",
            "f.yaml:12:15: drivers.device-node.devices[0].name: resource name \"x.y/a_\" has the name part \"a_\"; needed are letters, digits, '-', '_', '.', beginning and ending with a letter or digit",
            "f.yaml:14:20: drivers.device-node.devices[0].groups[0].count: is \"-1\"; needed is a whole number from 1 to 10000",
            "f.yaml:15:21: drivers.device-node.devices[0].groups[0].paths[0].path: is missing",
            "f.yaml:15:22: drivers.device-node.devices[0].groups[0].paths[0].pth: is no known key; did you mean path?",
            "f.yaml:15:36: drivers.device-node.devices[0].groups[0].paths[1]: path \"dev/y\" is not absolute",
            "f.yaml:15:51: drivers.device-node.devices[0].groups[0].paths[2]: permissions are \"rx\"; needed are some of r, w, m",
            "f.yaml:15:79: drivers.device-node.devices[0].groups[0].paths[2].mountPath: is no known key; did you mean mount-path?",
            "f.yaml:16:28: drivers.device-node.devices[0].groups[1].usb[0].vendor: is \"105z\"; needed are up to four hexadecimal digits");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiterString = "=>",
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          ''                         => f.yaml: is empty; needed is at least version: 1
          '# nothing'                => f.yaml: is empty; needed is at least version: 1
          'log: {level: info}'       => f.yaml:1:1: version: is missing
          '[version, 1]'             => f.yaml:1:1: is a list; needed is a mapping of keys to values
          'version: 1\n--- \nversion: 1' => f.yaml:3:1: is a second document; needed is one in a file
          'version: 1\nlog: json'    => f.yaml:2:6: log: is "json"; needed is a mapping of keys to values
          'version: 1\nlog: {level: [info]}' => f.yaml:2:14: log.level: is a list; needed is one of debug, info, warning, error
          'version: 1\nhttp: {}' => f.yaml:2:7: http.listen: is missing
          'version: 1\nhttp: {listen: 10680}' => f.yaml:2:16: http.listen: is "10680"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nhttp: {listen: localhost:10680}' => f.yaml:2:16: http.listen: is "localhost:10680"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nhttp: {listen: "0.0.0.0:0"}' => f.yaml:2:16: http.listen: is "0.0.0.0:0"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nhttp: {listen: "1.2.3.4:65536"}' => f.yaml:2:16: http.listen: is "1.2.3.4:65536"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nhttp: {listen: "[::g]:1"}' => f.yaml:2:16: http.listen: is "[::g]:1"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nhttp: {listen: "1.2.3.999:1"}' => f.yaml:2:16: http.listen: is "1.2.3.999:1"; needed is an address and a port, such as 0.0.0.0:10680 or [::1]:10680
          'version: 1\nlog: {level: }' => f.yaml:2:13: log.level: has no value
          'version: 1\n? [a]\n: b'   => f.yaml:2:3: has a key that is no text
          'version: 1\nregistration: {ways: []}' => f.yaml:2:22: registration.ways: is empty; needed is at least one way
          'version: 1\nregistration: {ways: kubelet-socket}' => f.yaml:2:22: registration.ways: is "kubelet-socket"; needed is a list
          'version: 1\nrescan-every: 10ms' => f.yaml:2:15: rescan-every: is 10ms; at least 1000ms is needed
          'version: 1\nrescan-every: 99999999999999h' => f.yaml:2:15: rescan-every: is "99999999999999h"; needed is a time with its unit, such as 500ms, 10s, 5m or 1h30m
          'version: 1\nout-of-service: [{resource: foo}]' => f.yaml:2:29: out-of-service[0].resource: resource name "foo" has no slash; needed is domain/name
          'version: 1\ndrivers: {device-node: {}}' => f.yaml:2:24: drivers.device-node.devices: is missing
          'version: 1\ndrivers: {device-node: {devices: []}}' => f.yaml:2:34: drivers.device-node.devices: needed is a list of at least one resource
          'version: 1\ndrivers: {device-node: {devices: [{name: a}]}}' => f.yaml:2:35: drivers.device-node.devices[0].groups: is missing
          'version: 1\ndrivers: {device-node: {devices: [{name: a, groups: [{}]}]}}' => f.yaml:2:54: drivers.device-node.devices[0].groups[0]: a group has either paths or usb, and at least one of them
          """)
  void saysWhereAndWhat(String text, String problem) {
    assertThat(problems(text.replace("\\n", "\n"))).containsExactly(problem);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          {path: ''} => path: is empty
          {path: '/dev/[a'} => unterminated
          {path: /a, mount-path: b} => mount-path "b" is not absolute
          {path: /a, type: Device} => needed is one of device, mount; device is near
          {path: /a, type: mount, permissions: r} => permissions: are for devices
          {path: /a, read-only: true} => read-only: is for mounts
          {path: /a, read-only: yes, type: mount} => is "yes"; needed is true or false
          {path: /a, limit: 0} => limit: is "0"; needed is a whole number from 1 to 10000
          {path: /a, limit: 1.0} => limit: is "1.0"
          """)
  void refusesAPathThatCannotMeanAnything(String path, String problem) {
    List<String> problems =
        problems(
            "version: 1\ndrivers: {device-node: {devices: [{name: c, groups: [{paths: [%s]}]}]}}"
                .formatted(path));

    assertThat(problems).hasSize(1);
    if (!problem.equals("unterminated")) assertThat(problems.getFirst()).contains(problem);
  }

  @Test
  void aResourceIsOfferedByOneDriverAndOnce() {
    assertThat(
            problems(
                """
                version: 1
                drivers:
                  kubevirt: {presets: [kvm]}
                  device-node:
                    domain: devices.kubevirt.io
                    devices: [{name: kvm, groups: [{paths: [{path: /dev/kvm}]}]}]
                """))
        .containsExactly(
            "f.yaml:3:3: drivers: resource devices.kubevirt.io/kvm is offered by device-node and by kubevirt; needed is one");
    assertThat(
            problems(
                """
                version: 1
                drivers:
                  device-node:
                    devices:
                      - {name: a, groups: [{paths: [{path: /dev/a}]}]}
                      - {name: a, groups: [{paths: [{path: /dev/b}]}]}
                """))
        .containsExactly(
            "f.yaml:6:16: drivers.device-node.devices[1].name: \"a\" is given twice; put both under one name's groups");
  }

  @Test
  void textThatIsNotYamlHasItsLine() {
    assertThat(problems("version: 1\nlog: {level: info\n"))
        .singleElement()
        .asString()
        .startsWith("f.yaml:3:1: is not YAML: ");
    assertThat(problems("version: 1\n\tlog: x\n"))
        .singleElement()
        .asString()
        .startsWith("f.yaml:2:1: is not YAML: ");
  }

  @Test
  void anAliasWithinItselfIsAProblemAndNoEndlessLoop() {
    assertThat(problems("version: 1\nlog: &a {level: *a}\n")).isNotEmpty();
    assertThat(problems("version: 1\ndrivers: &d {device-node: *d}\n")).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "mountPath, mount-path",
    "mount_path, mount-path",
    "Permisions, permissions",
    "pahts, path",
    "limmit, limit"
  })
  void findsTheNearestKey(String written, String meant) {
    assertThat(Nearest.to(written, List.of("path", "mount-path", "permissions", "limit")))
        .contains(meant);
  }

  @Test
  void aWordThatIsNearNothingHasNoNearest() {
    assertThat(Nearest.to("frobnicate", List.of("path", "limit"))).isEmpty();
  }

  private static AgentConfig valid(String text) {
    return switch (ConfigReader.read("f.yaml", text)) {
      case ConfigReading.Valid valid -> valid.config();
      case ConfigReading.Wrong wrong -> fail(wrong.problems().toString());
    };
  }

  private static List<String> problems(String text) {
    return switch (ConfigReader.read("f.yaml", text)) {
      case ConfigReading.Valid valid -> fail("accepted: " + valid.config());
      case ConfigReading.Wrong wrong ->
          wrong.problems().stream().map(ConfigProblem::toString).toList();
    };
  }
}
