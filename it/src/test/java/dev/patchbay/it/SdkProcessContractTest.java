package dev.patchbay.it;

import dev.patchbay.testkit.Pace;
import dev.patchbay.testkit.PluginContract;
import dev.patchbay.testkit.PluginUnderTest;
import java.io.IOException;
import java.nio.file.Path;

/// A process written with the SDK does what every plugin has to do, and ends on SIGTERM as one.
final class SdkProcessContractTest extends PluginContract {
  @Override
  protected PluginUnderTest start(Path kubeletDir) throws IOException {
    return TwoResourcesProcess.start(kubeletDir);
  }

  @Override
  protected Pace pace() {
    return Pace.SHORT;
  }
}
