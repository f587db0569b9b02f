package dev.patchbay.agent.config;

import dev.patchbay.drivers.DeviceHistory.Patience;
import dev.patchbay.sdk.PluginHostConfig.Way;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All that an operator can say to the agent.
///
/// @param log how and what it logs
/// @param http where it answers HTTP, if at all
/// @param registration the ways in which plugins make themselves known to the kubelet; at least one
/// @param rescanEvery how often all devices are looked at without any event, as a safety net
/// @param health how patient it is with devices that vanish or flap
/// @param outOfService devices that must not be given away
/// @param drivers the device families and what they offer
public record AgentConfig(
    LogConfig log,
    Optional<HttpConfig> http,
    Set<Way> registration,
    Duration rescanEvery,
    Patience health,
    List<OutOfService> outOfService,
    DriversConfig drivers) {
  public AgentConfig {
    registration = Set.copyOf(registration);
    outOfService = List.copyOf(outOfService);
  }
}
