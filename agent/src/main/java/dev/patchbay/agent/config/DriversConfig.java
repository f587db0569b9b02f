package dev.patchbay.agent.config;

import dev.patchbay.drivers.devicenode.DeviceNodeConfig;
import dev.patchbay.drivers.kubevirt.KubevirtConfig;
import java.util.Optional;

/// Settings of the config section `drivers`: a family that is not named is off.
///
/// @param deviceNode any device nodes, by path or USB numbers
/// @param kubevirt the nodes that virtual machines share
public record DriversConfig(
    Optional<DeviceNodeConfig> deviceNode, Optional<KubevirtConfig> kubevirt) {}
