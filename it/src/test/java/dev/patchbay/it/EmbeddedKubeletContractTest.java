package dev.patchbay.it;

import dev.patchbay.testkit.EmbeddedKubelet;
import dev.patchbay.testkit.KubeletContract;
import dev.patchbay.testkit.KubeletUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// Our own kubelet does what plugins may expect of one.
final class EmbeddedKubeletContractTest extends KubeletContract {
  @Override
  protected KubeletUnderTest start(Path kubeletDir) throws IOException {
    return EmbeddedKubelet.startIn(kubeletDir, Duration.ofSeconds(1));
  }
}
