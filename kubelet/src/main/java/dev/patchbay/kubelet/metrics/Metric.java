package dev.patchbay.kubelet.metrics;

import java.util.List;

/// Everything that is counted, with the kubelet's names, labels and bounds.
@SuppressWarnings("ImmutableEnumChecker") // its lists are List.of, its bounds are given as copies
enum Metric {
  PLUGIN_REGISTRATIONS(
      "kubelet_device_plugin_registration_total",
      Kind.COUNTER,
      "Calls of Register on kubelet.sock, those that were refused too.",
      List.of("resource_name")),
  ALLOCATION_SECONDS(
      "kubelet_device_plugin_alloc_duration_seconds",
      Kind.HISTOGRAM,
      "Seconds that a plugin took to answer Allocate, refusals too.",
      List.of("resource_name"),
      .005,
      .01,
      .025,
      .05,
      .1,
      .25,
      .5,
      1,
      2.5,
      5,
      10),
  POD_RESOURCES_CALLS(
      "kubelet_pod_resources_endpoint_requests_total",
      Kind.COUNTER,
      "Calls of PodResources, of every method.",
      List.of("server_api_version")),
  POD_RESOURCES_LISTS(
      "kubelet_pod_resources_endpoint_requests_list",
      Kind.COUNTER,
      "Calls of List of PodResources.",
      List.of("server_api_version")),
  POD_RESOURCES_ALLOCATABLES(
      "kubelet_pod_resources_endpoint_requests_get_allocatable",
      Kind.COUNTER,
      "Calls of GetAllocatableResources of PodResources.",
      List.of("server_api_version")),
  POD_RESOURCES_GETS(
      "kubelet_pod_resources_endpoint_requests_get",
      Kind.COUNTER,
      "Calls of Get of PodResources.",
      List.of("server_api_version")),
  POD_RESOURCES_LIST_ERRORS(
      "kubelet_pod_resources_endpoint_errors_list",
      Kind.COUNTER,
      "Calls of List that were answered with an error; there are none.",
      List.of("server_api_version")),
  POD_RESOURCES_ALLOCATABLE_ERRORS(
      "kubelet_pod_resources_endpoint_errors_get_allocatable",
      Kind.COUNTER,
      "Calls of GetAllocatableResources that were answered with an error.",
      List.of("server_api_version")),
  POD_RESOURCES_GET_ERRORS(
      "kubelet_pod_resources_endpoint_errors_get",
      Kind.COUNTER,
      "Calls of Get that were answered with an error: an unknown or ended pod.",
      List.of("server_api_version")),
  TOPOLOGY_ADMISSIONS(
      "kubelet_topology_manager_admission_requests_total",
      Kind.COUNTER,
      "Pods that the topology manager was asked to admit, whatever its policy.",
      List.of()),
  TOPOLOGY_ERRORS(
      "kubelet_topology_manager_admission_errors_total",
      Kind.COUNTER,
      "Pods that the topology manager refused, or whose resources could not be allocated.",
      List.of()),
  TOPOLOGY_MILLIS(
      "kubelet_topology_manager_admission_duration_ms",
      Kind.HISTOGRAM,
      "Whole milliseconds that the admission of a pod took.",
      List.of(),
      .05,
      .1,
      .2,
      .4,
      .8,
      1.6,
      3.2,
      6.4,
      12.8,
      25.6,
      51.2,
      102.4,
      204.8,
      409.6,
      819.2),
  ALIGNED(
      "kubelet_container_aligned_compute_resources_count",
      Kind.COUNTER,
      "Containers or pods whose resources were aligned to a boundary, as was demanded.",
      List.of("scope", "boundary")),
  NOT_ALIGNED(
      "kubelet_container_aligned_compute_resources_failure_count",
      Kind.COUNTER,
      "Containers or pods whose resources could not be aligned to a boundary, as was demanded.",
      List.of("scope", "boundary")),
  ADMISSION_REJECTIONS(
      "kubelet_admission_rejections_total",
      Kind.COUNTER,
      "Pods that were refused, by reason.",
      List.of("reason")),
  PLUGINS(
      "plugin_manager_total_plugins",
      Kind.GAUGE,
      "Plugins in plugins_registry: those that are there, and those that are registered.",
      List.of("socket_path", "state"));

  /// How a metric behaves.
  enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  private final String text;
  private final Kind kind;
  private final String help;
  private final List<String> labels;
  private final double[] bounds;

  Metric(String text, Kind kind, String help, List<String> labels, double... bounds) {
    this.text = text;
    this.kind = kind;
    this.help = help;
    this.labels = labels;
    this.bounds = bounds;
  }

  /// Its name where it is scraped.
  String text() {
    return text;
  }

  Kind kind() {
    return kind;
  }

  String help() {
    return help;
  }

  List<String> labels() {
    return labels;
  }

  /// Upper bounds of a histogram's buckets, ascending, without the infinite one.
  double[] bounds() {
    return bounds.clone();
  }
}
