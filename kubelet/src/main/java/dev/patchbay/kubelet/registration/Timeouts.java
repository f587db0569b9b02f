package dev.patchbay.kubelet.registration;

import java.time.Duration;

/// How long a plugin may take.
///
/// @param dial to be reached, and again to tell its options
/// @param call to answer Allocate or GetPreferredAllocation
/// @param preStart to answer PreStartContainer
public record Timeouts(Duration dial, Duration call, Duration preStart) {}
