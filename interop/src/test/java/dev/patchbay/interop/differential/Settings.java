package dev.patchbay.interop.differential;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// How both kubelets are configured.
///
/// @param reservedMemory NUMA node -> bytes that no pod gets; where there is some, the memory
///   manager's policy is static
/// @param gates feature gates that are not left at their default
record Settings(
    String policy,
    String scope,
    SortedMap<String, String> options,
    String cpuPolicy,
    SortedMap<String, String> cpuPolicyOptions,
    String reservedCpus,
    SortedMap<Integer, Long> reservedMemory,
    int maxPods,
    SortedMap<String, Boolean> gates) {
  static final int USUAL_PODS = 110;

  /// The keys of `start` that do not depend on the side.
  ObjectNode json() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("policy", policy)
            .put("scope", scope)
            .put("cpuPolicy", cpuPolicy)
            .put("reservedCPUs", reservedCpus)
            .put("maxPods", maxPods);
    ObjectNode given = json.putObject("policyOptions");
    options.forEach(given::put);
    ObjectNode ofCpus = json.putObject("cpuPolicyOptions");
    cpuPolicyOptions.forEach(ofCpus::put);
    ObjectNode switched = json.putObject("featureGates");
    gates.forEach(switched::put);
    if (pinsMemory()) {
      json.put("memoryPolicy", "Static");
      ArrayNode reserved = json.putArray("reservedMemory");
      reservedMemory.forEach((node, bytes) ->
          reserved
              .addObject()
              .put("numaNode", node)
              .putObject("limits")
              .put("memory", bytes.toString()));
    }
    return json;
  }

  @JsonIgnore
  boolean exclusiveCpus() {
    return cpuPolicy.equals("static");
  }

  @JsonIgnore
  boolean pinsMemory() {
    return !reservedMemory.isEmpty();
  }

  /// Whether there are managers of CPUs and memory, which keep their state in files.
  @JsonIgnore
  boolean hasState() {
    return exclusiveCpus() || pinsMemory();
  }

  @JsonIgnore
  boolean aligns() {
    return !policy.equals("none");
  }

  List<Settings> simpler() {
    List<Settings> all = new ArrayList<>();
    if (aligns()) all.add(withTopology("none", scope, options));
    if (scope.equals("pod")) all.add(withTopology(policy, "container", options));
    if (!options.isEmpty()) all.add(withTopology(policy, scope, new TreeMap<>()));
    if (exclusiveCpus()) all.add(withHost("none", new TreeMap<>(), "", reservedMemory));
    if (!cpuPolicyOptions.isEmpty())
      all.add(withHost(cpuPolicy, new TreeMap<>(), reservedCpus, reservedMemory));
    if (pinsMemory()) all.add(withHost(cpuPolicy, cpuPolicyOptions, reservedCpus, new TreeMap<>()));
    if (cpuPolicyOptions.isEmpty() && (maxPods != USUAL_PODS || !gates.isEmpty()))
      all.add(withUsualNode());
    return all;
  }

  private Settings withTopology(
      String otherPolicy, String otherScope, SortedMap<String, String> otherOptions) {
    return new Settings(
        otherPolicy,
        otherScope,
        otherOptions,
        cpuPolicy,
        cpuPolicyOptions,
        reservedCpus,
        reservedMemory,
        maxPods,
        gates);
  }

  private Settings withHost(
      String otherCpuPolicy,
      SortedMap<String, String> otherCpuOptions,
      String otherCpus,
      SortedMap<Integer, Long> otherMemory) {
    return new Settings(
        policy,
        scope,
        options,
        otherCpuPolicy,
        otherCpuOptions,
        otherCpus,
        otherMemory,
        maxPods,
        gates);
  }

  private Settings withUsualNode() {
    return new Settings(
        policy,
        scope,
        options,
        cpuPolicy,
        cpuPolicyOptions,
        reservedCpus,
        reservedMemory,
        USUAL_PODS,
        new TreeMap<>());
  }
}
