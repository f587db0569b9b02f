package dev.patchbay.kubelet.metrics;

import dev.patchbay.model.ResourceName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/// What the kubelet side counts. Thread-safe; counting never waits and never fails.
///
/// Numbers begin at zero with each process, as a Prometheus server expects of counters.
public final class KubeletMetrics {
  /// What [#text] is, as the header `Content-Type` has it.
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /// Reasons that are counted under their own name; others could be anything.
  private static final Set<String> REASONS =
      Set.of(
          "AppArmor",
          "PodOSSelectorNodeLabelDoesNotMatch",
          "PodOSNotSupported",
          "InvalidNodeInfo",
          "InitContainerRestartPolicyForbidden",
          "SupplementalGroupsPolicyNotSupported",
          "UnexpectedAdmissionError",
          "UnknownReason",
          "UnexpectedPredicateFailureType",
          "OutOfcpu",
          "OutOfmemory",
          "OutOfephemeral-storage",
          "OutOfpods",
          "PodLevelResourcesNotSupported",
          "PodFeatureUnsupported",
          "node(s) had taints that the pod didn't tolerate",
          "Evicted",
          "SysctlForbidden",
          "TopologyAffinityError",
          "NodeShutdown",
          "VolumeAttachmentLimitExceeded");

  private final Figures figures = new Figures();
  private volatile Supplier<Plugins> plugins = () -> new Plugins(List.of(), List.of());

  /// A version of the PodResources API.
  public enum ApiVersion {
    V1,
    V1ALPHA1
  }

  /// A method of PodResources.
  public enum PodResourcesMethod {
    LIST(Metric.POD_RESOURCES_LISTS, Metric.POD_RESOURCES_LIST_ERRORS),
    GET(Metric.POD_RESOURCES_GETS, Metric.POD_RESOURCES_GET_ERRORS),
    GET_ALLOCATABLE(Metric.POD_RESOURCES_ALLOCATABLES, Metric.POD_RESOURCES_ALLOCATABLE_ERRORS);

    private final Metric calls;
    private final Metric errors;

    PodResourcesMethod(Metric calls, Metric errors) {
      this.calls = calls;
      this.errors = errors;
    }
  }

  /// What is aligned.
  public enum Scope {
    CONTAINER("container"),
    POD("pod");

    private final String text;

    Scope(String text) {
      this.text = text;
    }
  }

  /// What it is aligned to.
  public enum Boundary {
    NUMA_NODE("numa_node"),
    PHYSICAL_CPU("physical_cpu"),
    UNCORE_CACHE("uncore_cache");

    private final String text;

    Boundary(String text) {
      this.text = text;
    }
  }

  /// Sockets in `plugins_registry`.
  ///
  /// @param there those whose plugins should be registered
  /// @param registered those whose plugins are
  public record Plugins(Collection<Path> there, Collection<Path> registered) {
    public Plugins {
      there = List.copyOf(there);
      registered = List.copyOf(registered);
    }
  }

  /// Register was called on `kubelet.sock`; to be counted before the request is judged.
  ///
  /// @param resource as the plugin says it, which may be anything
  public void registration(String resource) {
    figures.count(Metric.PLUGIN_REGISTRATIONS, resource);
  }

  /// A plugin answered Allocate, or failed to.
  public void allocation(ResourceName resource, Duration took) {
    figures.observe(Metric.ALLOCATION_SECONDS, took.toNanos() / 1e9, resource.toString());
  }

  /// PodResources was called, and the rate limit let the call pass.
  public void podResourcesCall(ApiVersion version, PodResourcesMethod method) {
    figures.count(Metric.POD_RESOURCES_CALLS, text(version));
    // The methods of the older one were never told apart.
    if (version == ApiVersion.V1) figures.count(method.calls, text(version));
  }

  /// A call of PodResources, counted before, is answered with an error.
  public void podResourcesError(ApiVersion version, PodResourcesMethod method) {
    figures.count(method.errors, text(version));
  }

  private static String text(ApiVersion version) {
    return switch (version) {
      case V1 -> "v1";
      case V1ALPHA1 -> "v1alpha1";
    };
  }

  /// The topology manager was asked to admit a pod.
  public void topologyAdmission(Duration took) {
    figures.count(Metric.TOPOLOGY_ADMISSIONS);
    figures.observe(Metric.TOPOLOGY_MILLIS, (double) took.toMillis());
  }

  /// A pod was refused by a policy of the topology manager, or what it was admitted for could not
  /// be allocated under one.
  public void topologyError() {
    figures.count(Metric.TOPOLOGY_ERRORS);
  }

  /// Something may be aligned to this boundary from now on: it is shown with zero.
  public void showAlignment(Scope scope, Boundary boundary) {
    figures.show(Metric.ALIGNED, scope.text, boundary.text);
    // Where no CPUs are free that share a cache others are taken, so there is no such failure.
    if (boundary != Boundary.UNCORE_CACHE)
      figures.show(Metric.NOT_ALIGNED, scope.text, boundary.text);
  }

  /// Resources had to be aligned, and are.
  public void aligned(Scope scope, Boundary boundary) {
    figures.count(Metric.ALIGNED, scope.text, boundary.text);
  }

  /// Resources had to be aligned, and could not be.
  public void notAligned(Scope scope, Boundary boundary) {
    figures.count(Metric.NOT_ALIGNED, scope.text, boundary.text);
  }

  /// A pod was refused.
  ///
  /// @param reason as its status has it
  public void admissionRejected(String reason) {
    String label =
        REASONS.contains(reason)
            ? reason
            : reason.startsWith("OutOf") ? "OutOfExtendedResources" : "Other";
    figures.count(Metric.ADMISSION_REJECTIONS, label);
  }

  /// Asks this from now on for the plugins in `plugins_registry`, whenever somebody wants to know.
  ///
  /// @param now must not wait for a plugin
  public void plugins(Supplier<Plugins> now) {
    plugins = now;
  }

  /// All metrics as a Prometheus server reads them.
  public String text() {
    var text = new TextFormat();
    for (Metric metric : Metric.values()) {
      if (metric == Metric.PLUGINS) text.values(metric, pluginCounts());
      else text.figures(metric, figures.read(metric));
    }
    return text.toString();
  }

  private SortedMap<List<String>, Long> pluginCounts() {
    Plugins now = plugins.get();
    SortedMap<List<String>, Long> counts =
        new TreeMap<>((one, other) -> String.join("\0", one).compareTo(String.join("\0", other)));
    for (Path socket : now.registered()) count(socket, "actual_state_of_world", counts);
    for (Path socket : now.there()) count(socket, "desired_state_of_world", counts);
    return counts;
  }

  /// Who may make sockets in the registry may make any number of them.
  private static void count(Path socket, String state, SortedMap<List<String>, Long> counts) {
    List<String> labels = List.of(Figures.label(socket.toString()), state);
    boolean isRoom = counts.size() < Figures.MAX_SERIES || counts.containsKey(labels);
    counts.merge(isRoom ? labels : List.of(Figures.OTHERS, state), 1L, Long::sum);
  }
}
