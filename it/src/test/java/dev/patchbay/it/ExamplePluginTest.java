package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.model.ContainerEdits.DeviceNode;
import dev.patchbay.testkit.TestKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The README's example does what the README says.
final class ExamplePluginTest {
  private static final String FUSE = "example.com/fuse";
  private static final Path SOURCE =
      Repository.ROOT.resolve("sdk/src/test/java/dev/patchbay/sdk/example/FusePlugin.java");
  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: demo
      spec:
        containers:
          - name: main
            image: busybox
            resources:
              limits:
                example.com/fuse: 1
      """;

  @Test
  void aPodGetsItsDeviceAlsoAfterARestartOfTheKubelet() throws Exception {
    try (var kubelet = TestKubelet.making().make().start()) {
      try (var _ = JavaProcess.start(SOURCE.toString(), kubelet.directory().toString())) {
        kubelet.awaitAllocatable(FUSE, 2);
        assertThat(kubelet.admit(POD)).isEmpty();
        assertThat(kubelet.runOptions("demo", "main").deviceNodes())
            .containsExactly(new DeviceNode("/dev/fuse", "/dev/fuse", "rw"));
        kubelet.kill();
        kubelet.start();
        kubelet.awaitAllocatable(FUSE, 2);
        assertThat(kubelet.admit(POD)).isEmpty();
      }
      kubelet.awaitAllocatable(FUSE, 0);
      assertThat(kubelet.capacity()).containsEntry(FUSE, 2L);
      assertThat(sockets(kubelet.devicePluginDir())).containsExactly("kubelet.sock");
    }
  }

  private static List<String> sockets(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".sock"))
          .toList();
    }
  }
}
