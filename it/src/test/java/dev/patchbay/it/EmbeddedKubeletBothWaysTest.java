package dev.patchbay.it;

import dev.patchbay.testkit.KubeletContract;
import dev.patchbay.testkit.KubeletUnderTest;
import dev.patchbay.testkit.TestKubelet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/// Our own kubelet does the same for plugins that it finds in its registry.
final class EmbeddedKubeletBothWaysTest extends KubeletContract {
  @Override
  protected KubeletUnderTest start(Path kubeletDir) throws IOException {
    return TestKubelet.making().in(kubeletDir).callTimeout(Duration.ofSeconds(2)).make().start();
  }

  @Override
  protected Way way() {
    return Way.PLUGINS_REGISTRY;
  }
}
