package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.patchbay.proto.podresources.v1.ContainerDevices;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A resource that answers with CDI names, and the spec file that our writer makes, as containerd
/// and podman read it.
@Timeout(300)
@ExtendWith(NamesLogs.class)
final class CdiTest {
  private RealNode node;

  @BeforeEach
  void startNode(TestInfo test) throws Exception {
    node = RealNode.start(test.getTestMethod().orElseThrow().getName());
    node.plug("toy0", 0);
    node.plug("toy1", 1);
  }

  @AfterEach
  void endNode() throws Exception {
    node.end();
  }

  @Test
  void containerdFindsWhatTheNamesMean() throws Exception {
    assumeTrue(KubernetesVersion.current().hasCdi(), "this kubelet knows no CDI names");
    NodeView view = node.view();
    node.startKubelet();
    Daemon plugin =
        node.place().startJava("cdi-plugin", CdiPlugin.class, "/var/lib/kubelet", "/run/cdi");
    await("the plugin's devices")
        .untilAsserted(
            () -> assertThat(view.allocatable(CdiPlugin.RESOURCE)).containsExactly("toy0", "toy1"));

    node.create(new StaticPod("two", CdiPlugin.RESOURCE, 2));
    await("the pod, with " + plugin.log())
        .untilAsserted(() ->
            assertThat(view.output("two")).as("%s", view.status("two")).contains(StaticPod.TRIED));

    assertThat(view.output("two"))
        .containsExactly(
            "opens /dev/toy0",
            "opens /dev/toy1",
            "sh: can't open /dev/other: Operation not permitted",
            CdiPlugin.VARIABLE,
            "TOY_toy1=by CDI",
            StaticPod.TRIED);
    assertThat(view.listed("two").orElseThrow().getContainers(0).getDevicesList())
        .extracting(ContainerDevices::getResourceName)
        .containsOnly(CdiPlugin.RESOURCE);
  }

  @Test
  @Tag("thorough")
  void podmanReadsTheSameFile() throws Exception {
    CdiPlugin.write(node.place().dir().resolve("run/cdi"));
    Path root = node.place().unpackImage("podman-root");

    String output =
        node.place()
            .run(
                "podman",
                "--cgroup-manager=cgroupfs",
                "run",
                "--runtime=runc",
                "--rm",
                "--cgroup-parent=" + node.place().controlGroup(),
                "--network=host",
                "--cap-add=MKNOD",
                "--device=" + CdiPlugin.name("toy0"),
                "--rootfs",
                root.toString(),
                "/bin/sh",
                "-c",
                StaticPod.SCRIPT);

    assertThat(output.lines())
        .containsExactly(
            "opens /dev/toy0",
            "/bin/sh: can't open /dev/other: Operation not permitted",
            CdiPlugin.VARIABLE,
            StaticPod.TRIED);
  }
}
