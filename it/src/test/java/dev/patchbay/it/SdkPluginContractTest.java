package dev.patchbay.it;

import dev.patchbay.testkit.Pace;
import dev.patchbay.testkit.PluginContract;
import dev.patchbay.testkit.PluginUnderTest;
import java.nio.file.Path;

/// What is written with the SDK does what every plugin has to do; in this process, where leaks are
/// seen best.
final class SdkPluginContractTest extends PluginContract {
  @Override
  protected PluginUnderTest start(Path kubeletDir) {
    return TwoResources.start(kubeletDir);
  }

  @Override
  protected Pace pace() {
    return Pace.SHORT;
  }
}
