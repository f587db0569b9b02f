package dev.patchbay.it;

import dev.patchbay.testkit.KubeletContract;
import dev.patchbay.testkit.KubeletUnderTest;
import dev.patchbay.testkit.TestKubelet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// Our own kubelet does what plugins may expect of one.
final class EmbeddedKubeletContractTest extends KubeletContract {
  @Override
  protected KubeletUnderTest start(Path kubeletDir) throws IOException {
    return TestKubelet.making().in(kubeletDir).callTimeout(Duration.ofSeconds(2)).make().start();
  }
}
