package dev.patchbay.node;

import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.Kubelet;
import dev.patchbay.kubelet.KubeletEvents;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.NodeResources;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.RuntimeContainer;
import dev.patchbay.kubelet.metrics.CountedEvents;
import dev.patchbay.kubelet.metrics.CountedRegistrations;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.metrics.KubeletMetrics.Plugins;
import dev.patchbay.kubelet.pluginwatcher.WatchedPlugins;
import dev.patchbay.kubelet.podresources.KubeletHoldings;
import dev.patchbay.kubelet.podresources.PodResourcesServer;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.status.AllocatedResources;
import dev.patchbay.kubelet.status.AllocatedResources.ResourceHealth;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.model.DeviceId;
import dev.patchbay.model.ResourceName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;

/// Devices of plugins, by the kubelet side with all that it shows.
///
/// @param registry where plugins put sockets that want to be found
record PluginDevices(
    Kubelet kubelet, Path registry, PodResourcesServer podResources, KubeletMetrics metrics)
    implements Devices {
  /// Those of a node in this directory.
  ///
  /// @param events told of what the kubelet tells
  static PluginDevices of(
      KubeletSettings settings, Path directory, InstantSource clock, KubeletEvents events) {
    var metrics = new KubeletMetrics();
    var kubelet =
        new Kubelet(
            settings,
            clock,
            new CountedEvents(metrics, settings, events),
            new CountedRegistrations(metrics));
    var podResources =
        new PodResourcesServer(
            directory.resolve("pod-resources"),
            new KubeletHoldings(kubelet),
            PodResourcesSettings.of(settings),
            metrics);
    metrics.plugins(() -> {
      WatchedPlugins sockets = kubelet.watchedPlugins();
      return new Plugins(sockets.desired(), sockets.actual());
    });
    return new PluginDevices(kubelet, directory.resolve("plugins_registry"), podResources, metrics);
  }

  @Override
  public void start(Set<RuntimeContainer> running) throws IOException {
    kubelet.start(running);
    kubelet.watchPlugins(registry);
    podResources.start();
  }

  @Override
  public void sourcesReady() {
    kubelet.sourcesReady(true);
  }

  @Override
  public void know(PodSpec pod) {
    kubelet.know(pod);
  }

  @Override
  public Admission admit(PodSpec pod) {
    return kubelet.admit(pod);
  }

  @Override
  public Optional<ContainerEdits> runOptions(PodSpec pod, String container) throws IOException {
    return kubelet.runOptions(pod, container);
  }

  @Override
  public void ended(PodSpec pod, PodPhase phase) {
    kubelet.know(pod);
    kubelet.ended(pod.uid(), phase);
    kubelet.collectGarbage();
  }

  @Override
  public void release(String podUid) {
    kubelet.release(podUid);
  }

  @Override
  public NodeResources nodeResources() {
    return kubelet.nodeResources();
  }

  @Override
  public boolean awaitResources(Predicate<NodeResources> condition, Duration atMost)
      throws InterruptedException {
    return kubelet.awaitResources(condition, atMost);
  }

  @Override
  public SortedMap<String, SortedMap<String, SortedMap<ResourceName, SortedSet<DeviceId>>>> held() {
    return kubelet.held();
  }

  @Override
  public SortedMap<ResourceName, List<ResourceHealth>> health(
      SortedMap<ResourceName, SortedSet<DeviceId>> devices) {
    return AllocatedResources.of(devices, kubelet.devices()::device);
  }

  @Override
  public Instruments instruments() {
    return new Instruments(kubelet.settings(), metrics, kubelet::problem);
  }

  @Override
  public void close() {
    podResources.close();
    kubelet.close();
  }
}
