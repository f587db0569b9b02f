package dev.patchbay.kubelet.metrics;

import dev.patchbay.kubelet.registration.PluginObserver;

/// Counts the registrations that arrive, before anybody judges them.
public record CountedRegistrations(KubeletMetrics metrics) implements PluginObserver {
  @Override
  public void arrived(Registration registration) {
    metrics.registration(registration.resource());
  }
}
