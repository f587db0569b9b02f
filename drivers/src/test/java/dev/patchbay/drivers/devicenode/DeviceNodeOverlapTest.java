package dev.patchbay.drivers.devicenode;

import static dev.patchbay.drivers.devicenode.NodeConfigs.compat;
import static dev.patchbay.drivers.devicenode.NodeConfigs.config;
import static dev.patchbay.drivers.devicenode.NodeConfigs.group;
import static dev.patchbay.drivers.devicenode.NodeConfigs.path;
import static dev.patchbay.drivers.devicenode.NodeConfigs.resource;
import static dev.patchbay.drivers.devicenode.NodeConfigs.shared;
import static dev.patchbay.drivers.devicenode.NodeConfigs.times;
import static dev.patchbay.drivers.devicenode.ScanText.devices;
import static dev.patchbay.drivers.devicenode.ScanText.notOffered;
import static dev.patchbay.drivers.devicenode.ScanText.problems;
import static dev.patchbay.drivers.devicenode.ScanText.scan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.drivers.Scan;
import org.junit.jupiter.api.Test;

/// Groups and resources that want the same nodes, and nodes that nobody wants.
final class DeviceNodeOverlapTest {
  private static final String MACHINE =
      """
      # tree 1; composed: two serial lines, one under two names, and more
      node  dev/ttyUSB0 c 188:0 0660
      node  dev/ttyUSB1 c 188:1 0660
      link  dev/serial/by-id/one -> ../../ttyUSB1
      node  dev/ttyACM0 c 166:0 0660
      node  dev/fuse c 10:229 0666
      """;

  @Test
  void aDeviceOfTwoGroupsIsOfferedOnce() {
    Scan scan =
        scan(
            MACHINE,
            config(resource("r", group(path("/dev/ttyUSB*")), group(path("/dev/ttyUSB0")))));
    assertThat(devices(scan))
        .containsExactly("r ttyUSB0: /dev/ttyUSB0 mrw", "r ttyUSB1: /dev/ttyUSB1 mrw");
    assertThat(problems(scan))
        .containsExactly(
            "/dev/ttyUSB0: is matched by two groups of vendor.example/r; the first one counts");
  }

  @Test
  void hundredsOfCopiesAreOneProblem() {
    var many = times(500, path("/dev/fuse"));
    assertThat(problems(scan(MACHINE, config(resource("r", many, many))))).hasSize(1);
    assertThat(problems(scan(MACHINE, config(resource("r", many), resource("s", many))))).isEmpty();
  }

  @Test
  void theCompatCopiesOfASecondGroupGoOnWhereTheFirstEnds() {
    var scan =
        scan(
            MACHINE, compat(resource("r", group(path("/dev/fuse")), times(10, path("/dev/fuse")))));
    assertThat(devices(scan)).hasSize(10);
    assertThat(problems(scan))
        .contains("/dev/fuse: is matched by two groups of vendor.example/r; the first one counts");
  }

  @Test
  void warnsOfANodeThatTwoResourcesOffer() {
    Scan scan =
        scan(
            MACHINE,
            config(
                resource("a", group(path("/dev/ttyUSB1"))),
                resource("b", group(path("/dev/serial/by-id/*")))));
    assertThat(devices(scan)).hasSize(2);
    assertThat(problems(scan))
        .containsExactly(
            "/dev/ttyUSB1: is offered by vendor.example/a as /dev/ttyUSB1 and by vendor.example/b"
                + " as /dev/serial/by-id/one; two containers may get it at once");
  }

  @Test
  void warnsOfANodeThatOneResourceOffersUnderTwoNames() {
    Scan scan =
        scan(
            MACHINE,
            config(resource("r", group(path("/dev/serial/by-id/*")), group(path("/dev/ttyUSB*")))));
    assertThat(devices(scan)).hasSize(3);
    assertThat(problems(scan))
        .containsExactly(
            "/dev/ttyUSB1: is offered by vendor.example/r as /dev/serial/by-id/one and by"
                + " vendor.example/r as /dev/ttyUSB1; two containers may get it at once");
  }

  @Test
  void warnsOfAPartThatTwoDevicesHave() {
    Scan scan =
        scan(
            MACHINE,
            config(
                resource("a", group(path("/dev/ttyUSB*"), shared("/dev/fuse", 9))),
                resource("b", group(path("/dev/ttyACM*"), path("/dev/fuse")))));
    assertThat(problems(scan))
        .containsExactly(
            "/dev/fuse: is offered by vendor.example/a as /dev/ttyUSB0, /dev/fuse and by"
                + " vendor.example/b as /dev/ttyACM0, /dev/fuse; two containers may get it at once");
  }

  @Test
  void warnsAlsoWhenTheFirstOneWantsItForItselfAndTheSecondShares() {
    Scan scan =
        scan(
            MACHINE,
            config(
                resource("a", group(path("/dev/fuse"))),
                resource("b", times(4, path("/dev/fuse")))));
    assertThat(problems(scan))
        .containsExactly(
            "/dev/fuse: is offered by vendor.example/a as /dev/fuse and by vendor.example/b as"
                + " /dev/fuse; two containers may get it at once");
  }

  @Test
  void sharingThatWasAskedForIsNoProblem() {
    assertThat(
            problems(
                scan(
                    MACHINE,
                    config(
                        resource(
                            "a",
                            group(path("/dev/ttyUSB*"), shared("/dev/fuse", 9)),
                            group(path("/dev/ttyACM*"), shared("/dev/fuse", 9))),
                        resource("b", times(4, path("/dev/fuse")))))))
        .isEmpty();
  }

  @Test
  void twoPathsOfOneNameAreOneDeviceAndAProblem() {
    Scan scan =
        scan(
            "# tree 1; x\nnode dev/a/b c 1:1 0600\nnode dev/a_b c 1:2 0600\n",
            config(resource("r", group(path("/dev/a/*")), group(path("/dev/a_*")))));
    assertThat(devices(scan)).containsExactly("r a_b: /dev/a/b mrw");
    assertThat(problems(scan))
        .containsExactly(
            "/dev/a_b: would have the id a_b, which /dev/a/b of vendor.example/r has already;"
                + " needed are two resources");
  }

  @Test
  void namesTheNodesThatNoEntryMatches() {
    String machine =
        MACHINE
            + """
            node  dev/input/event0 c 13:64 0660
            node  dev/dri/by/a/renderD128 c 226:128 0660
            node  dev/sda b 8:0 0660
            node  dev/null c 1:3 0666
            node  dev/tty7 c 4:7 0620
            node  dev/loop0 b 7:0 0660
            node  dev/pts/0 c 136:0 0620
            link  dev/cdrom -> sda
            dir   dev/empty
            file  dev/stray
            """;
    Scan scan =
        scan(
            machine,
            config(
                resource("r", group(path("/dev/tty*"))), resource("f", group(path("/dev/fuse")))));
    assertThat(notOffered(scan))
        .containsExactly(
            "/dev/input/event0: no entry of device-node matches",
            "/dev/sda: no entry of device-node matches");
  }

  @Test
  void aNodeThatIsOfferedByItsLinkIsNotNamed() {
    Scan scan = scan(MACHINE, config(resource("r", group(path("/dev/serial/by-id/*")))));
    assertThat(notOffered(scan))
        .containsExactly(
            "/dev/fuse: no entry of device-node matches",
            "/dev/ttyACM0: no entry of device-node matches",
            "/dev/ttyUSB0: no entry of device-node matches");
  }

  @Test
  void aNodeThatFindsNoPartnerIsNamedUnlessItIsOfferedElsewhere() {
    var pairs = group(path("/dev/ttyUSB*"), path("/dev/fuse"));
    assertThat(notOffered(scan(MACHINE, config(resource("pair", pairs)))))
        .contains(
            "/dev/ttyUSB1: there is no partner left for it in its group of vendor.example/pair");
    assertThat(
            notOffered(
                scan(
                    MACHINE,
                    config(resource("pair", pairs), resource("r", group(path("/dev/ttyUSB1")))))))
        .noneMatch(line -> line.startsWith("/dev/ttyUSB1"));
  }
}
