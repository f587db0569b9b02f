package dev.patchbay.interop.differential;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// How both kubelets are configured.
record Settings(
    String policy,
    String scope,
    SortedMap<String, String> options,
    String cpuPolicy,
    String reservedCpus) {
  /// The keys of `start` that do not depend on the side.
  ObjectNode json() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("policy", policy)
            .put("scope", scope)
            .put("cpuPolicy", cpuPolicy)
            .put("reservedCPUs", reservedCpus);
    ObjectNode given = json.putObject("policyOptions");
    options.forEach(given::put);
    return json;
  }

  boolean exclusiveCpus() {
    return cpuPolicy.equals("static");
  }

  boolean aligns() {
    return !policy.equals("none");
  }

  List<Settings> simpler() {
    List<Settings> all = new ArrayList<>();
    if (aligns()) all.add(new Settings("none", scope, options, cpuPolicy, reservedCpus));
    if (scope.equals("pod"))
      all.add(new Settings(policy, "container", options, cpuPolicy, reservedCpus));
    if (!options.isEmpty())
      all.add(new Settings(policy, scope, new TreeMap<>(), cpuPolicy, reservedCpus));
    if (exclusiveCpus()) all.add(new Settings(policy, scope, options, "none", ""));
    return all;
  }
}
