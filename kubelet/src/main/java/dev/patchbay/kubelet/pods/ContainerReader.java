package dev.patchbay.kubelet.pods;

import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Turns one container of a pod into a [ContainerSpec].
final class ContainerReader {
  private final PodReader pod;
  private final String at;
  private final Container container;

  ContainerReader(PodReader pod, String at, Container container) {
    this.pod = pod;
    this.at = at;
    this.container = container;
  }

  /// @param names names seen before in this pod; this one's is added
  ContainerSpec read(boolean init, Set<String> names) {
    pod.refuseUnknown(at, container.getAdditionalProperties());
    noticeWhatIsLeftOut();
    ResourceRequirements resources =
        Optional.ofNullable(container.getResources()).orElseGet(ResourceRequirements::new);
    return new ContainerSpec(
        name(names),
        text(container.getImage()),
        container.getCommand(),
        container.getArgs(),
        workingDir(),
        env(),
        new ExtendedResources(pod, at + ".resources").read(resources),
        sidecar(init),
        new NativeQuantities(pod, at + ".resources").read(resources),
        claims(resources));
  }

  private static List<DraClaim.Use> claims(ResourceRequirements resources) {
    return resources.getClaims().stream()
        .map(claim ->
            new DraClaim.Use(
                text(claim.getName()),
                Optional.of(text(claim.getRequest())).filter(request -> !request.isEmpty())))
        .toList();
  }

  private String name(Set<String> names) {
    String name = text(container.getName());
    if (name.isEmpty()) pod.problem(at + ".name", "is missing");
    else if (!PodReader.isLabel(name))
      pod.problem(
          at + ".name",
          "\"" + name + "\" is no DNS-1123 label: at most 63 lower-case letters, digits and '-'");
    else if (!names.add(name))
      pod.problem(at + ".name", "\"" + name + "\" is the name of another container of this pod");
    return name;
  }

  private boolean sidecar(boolean init) {
    String policy = text(container.getRestartPolicy());
    if (!container.getRestartPolicyRules().isEmpty())
      pod.problem(at + ".restartPolicyRules", "are not supported");
    if (policy.isEmpty()) return false;
    if (!init) pod.problem(at + ".restartPolicy", "is for init containers only");
    else if (!policy.equals("Always"))
      pod.problem(
          at + ".restartPolicy", "is \"" + policy + "\"; an init container can have Always");
    return true;
  }

  private String workingDir() {
    String dir = text(container.getWorkingDir());
    if (!dir.isEmpty() && !dir.startsWith("/"))
      pod.problem(at + ".workingDir", "\"" + dir + "\" is relative; needed is an absolute path");
    return dir;
  }

  private SequencedMap<String, String> env() {
    if (!container.getEnvFrom().isEmpty())
      pod.problem(
          at + ".envFrom",
          "is not supported: there is no API server to ask; give literal values in env");
    SequencedMap<String, String> env = new LinkedHashMap<>();
    List<EnvVar> variables = container.getEnv();
    for (int i = 0; i < variables.size(); i++) {
      String field = at + ".env[" + i + "]";
      String name = text(variables.get(i).getName());
      if (name.isEmpty()) pod.problem(field + ".name", "is missing");
      else if (name.indexOf('=') >= 0 || name.chars().anyMatch(c -> c < ' ' || c > '~'))
        pod.problem(field + ".name", "\"" + name + "\" has to be printable ASCII without '='");
      else if (variables.get(i).getValueFrom() != null)
        pod.problem(
            field + ".valueFrom",
            "is not supported: there is no API server to ask; give a literal value");
      else env.put(name, text(variables.get(i).getValue()));
    }
    return env;
  }

  private void noticeWhatIsLeftOut() {
    if (!container.getVolumeMounts().isEmpty())
      pod.notice(at + ".volumeMounts", "are left out: this kubelet makes no volumes");
    if (!container.getVolumeDevices().isEmpty())
      pod.notice(at + ".volumeDevices", "are left out: this kubelet makes no volumes");
    if (container.getLivenessProbe() != null
        || container.getReadinessProbe() != null
        || container.getStartupProbe() != null)
      pod.notice(at, "has probes, which are not run here");
    if (container.getLifecycle() != null) pod.notice(at + ".lifecycle", "is not followed here");
    if (container.getSecurityContext() != null)
      pod.notice(at + ".securityContext", "is not followed here");
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
