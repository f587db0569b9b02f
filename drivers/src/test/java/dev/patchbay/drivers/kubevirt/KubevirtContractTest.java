package dev.patchbay.drivers.kubevirt;

import dev.patchbay.drivers.Driver;
import dev.patchbay.drivers.DriverContract;
import dev.patchbay.drivers.HealthCheck;
import dev.patchbay.drivers.kubevirt.KubevirtConfig.Preset;
import dev.patchbay.host.HostRoot;
import java.util.EnumSet;

final class KubevirtContractTest extends DriverContract {
  @Override
  protected Driver driver(HostRoot host) {
    return new KubevirtDriver(
        host, new KubevirtConfig(12, EnumSet.allOf(Preset.class), HealthCheck.EXISTS));
  }

  @Override
  protected String machine() {
    return KubevirtDriverTest.MACHINE;
  }
}
