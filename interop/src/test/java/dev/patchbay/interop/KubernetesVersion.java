package dev.patchbay.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which Kubernetes judges, and what its kubelet can be told.
///
/// @param minor the second number of its version, which is what it is known by
record KubernetesVersion(int minor) {
  private static final Pattern VERSION = Pattern.compile("v1\\.(\\d+)\\.\\d+");

  /// That of the parts, as `scripts/interop` says.
  static KubernetesVersion current() {
    return of(PrivatePlace.property("patchbay.interop.kubernetes"));
  }

  static KubernetesVersion of(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches())
      throw new IllegalArgumentException(
          "Kubernetes' version is \"" + version + "\"; needed is v1.<minor>.<patch>");
    return new KubernetesVersion(Integer.parseInt(matcher.group(1)));
  }

  /// Whether its kubelet has PodResources' Get, if only behind a feature gate.
  boolean hasPodResourcesGet() {
    return minor >= 27;
  }

  /// Whether its kubelet hands CDI names on, if only behind a feature gate.
  boolean hasCdi() {
    return minor >= 28;
  }

  /// The part of a kubelet's configuration that not every version knows.
  String configuration() {
    var more = new StringBuilder();
    if (minor >= 31) more.append("failCgroupV1: false\n");
    if (minor >= 25) more.append("localStorageCapacityIsolation: false\n");
    if (minor >= 27) more.append("containerRuntimeEndpoint: " + KubeletFile.RUNTIME + "\n");
    List<String> gates = new ArrayList<>();
    if (hasPodResourcesGet() && minor < 34) gates.add("KubeletPodResourcesGet: true");
    if (minor == 28) gates.add("DevicePluginCDIDevices: true");
    return more + "featureGates: {" + String.join(", ", gates) + "}\n";
  }

  /// What a kubelet is told on its command line, since its configuration does not know it.
  String[] flags() {
    if (minor >= 27) return new String[0];
    String endpoint = "--container-runtime-endpoint=" + KubeletFile.RUNTIME;
    return minor >= 24
        ? new String[] {endpoint}
        : new String[] {"--container-runtime=remote", endpoint};
  }
}
