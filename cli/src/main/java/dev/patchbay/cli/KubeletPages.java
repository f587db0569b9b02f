package dev.patchbay.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.patchbay.http.HealthPages;
import dev.patchbay.http.Page;
import dev.patchbay.http.Page.Answer;
import dev.patchbay.kubelet.FeatureGate;
import dev.patchbay.kubelet.KubeletSettings;
import dev.patchbay.kubelet.metrics.KubeletMetrics;
import dev.patchbay.kubelet.podresources.PodResourcesSettings;
import dev.patchbay.kubelet.podresources.PodResourcesSettings.Gate;
import dev.patchbay.node.Instruments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the embedded kubelet says over HTTP, on the paths of the kubelet's own pages.
final class KubeletPages {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private KubeletPages() {}

  /// The pages of a node by path.
  ///
  /// @param manifests where its pods come from; empty when they come from a cluster
  static Map<String, Page> of(Instruments node, Optional<Path> manifests) {
    Map<String, Page> pages =
        new TreeMap<>(new HealthPages().with("device-plugin", node.problem()).pages());
    pages.put("/metrics", _ -> new Answer(200, KubeletMetrics.CONTENT_TYPE, node.metrics().text()));
    pages.put(
        "/configz", _ -> new Answer(200, "application/json", configz(node.settings(), manifests)));
    return pages;
  }

  private static String configz(KubeletSettings settings, Optional<Path> manifests) {
    try {
      return JSON.writeValueAsString(Map.of("kubeletconfig", config(settings, manifests))) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("settings cannot be written as JSON", e);
    }
  }

  /// Under the kubelet's own names where it has the same setting; what only we have is below
  /// `patchbay`.
  private static SequencedMap<String, Object> config(
      KubeletSettings settings, Optional<Path> manifests) {
    SequencedMap<String, Object> config = new LinkedHashMap<>();
    config.put("kind", "KubeletConfiguration");
    config.put("apiVersion", "kubelet.config.k8s.io/v1beta1");
    manifests.ifPresent(path -> config.put("staticPodPath", path.toString()));
    config.put("topologyManagerPolicy", settings.topology().policy());
    config.put("topologyManagerScope", settings.topology().scope());
    config.put("topologyManagerPolicyOptions", settings.topology().options());
    config.put("cpuManagerPolicy", settings.host().cpus().policy().toString());
    config.put("cpuManagerPolicyOptions", settings.host().cpus().options().named());
    config.put("reservedSystemCPUs", settings.host().cpus().reserved().toString());
    config.put("memoryManagerPolicy", settings.host().memory().policy().toString());
    config.put("reservedMemory", reservedMemory(settings.host().memory().reserved()));
    config.put("maxPods", settings.nodeAllocatable().get("pods"));
    config.put("featureGates", gates(settings));
    config.put("patchbay", own(settings));
    return config;
  }

  private static SortedMap<String, Boolean> gates(KubeletSettings settings) {
    PodResourcesSettings podResources = PodResourcesSettings.of(settings);
    SortedMap<String, Boolean> gates = new TreeMap<>(settings.featureGates());
    for (FeatureGate gate : FeatureGate.values()) gates.put(gate.text(), settings.isOn(gate));
    for (Gate gate : Gate.values()) gates.put(gate.text(), podResources.has(gate));
    return gates;
  }

  private static List<Map<String, Object>> reservedMemory(
      SortedMap<Integer, SortedMap<String, Long>> reserved) {
    List<Map<String, Object>> nodes = new ArrayList<>();
    reserved.forEach(
        (node, limits) -> nodes.add(new TreeMap<>(Map.of("numaNode", node, "limits", limits))));
    return nodes;
  }

  private static SequencedMap<String, Object> own(KubeletSettings settings) {
    SequencedMap<String, Object> own = new LinkedHashMap<>();
    own.put("minor", settings.minor().toString());
    own.put("unknownResources", settings.unknownResources().toString());
    own.put("nodeAllocatable", settings.nodeAllocatable());
    own.put("quirks", settings.quirks().stream().map(Enum::toString).sorted().toList());
    own.put("devicePluginDir", settings.devices().devicePluginDir().toString());
    own.put("endpointGrace", settings.devices().endpointGrace().toString());
    own.put("dialTimeout", settings.devices().dialTimeout().toString());
    own.put("allocateTimeout", settings.devices().allocateTimeout().toString());
    own.put("preStartTimeout", settings.devices().preStartTimeout().toString());
    return own;
  }
}
