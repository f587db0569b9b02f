package dev.patchbay.kubelet.pods;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import dev.patchbay.kubelet.pods.PodSpec.RestartPolicy;
import dev.patchbay.model.ResourceName;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerExtendedResourceRequest;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Turns one pod of a document into a [PodSpec], or says all that is wrong with it.
final class PodReader {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, true)
          .build();

  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern SUBDOMAIN = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

  /// Uids name directories and cgroups.
  private static final Pattern UID = Pattern.compile("[A-Za-z0-9][-A-Za-z0-9_.]{0,127}");

  private final ManifestDocument document;
  private final String base;
  private final PodManifests.Findings findings;
  private boolean faulty;

  /// @param base path of the pod within the document, empty for the document itself
  PodReader(ManifestDocument document, String base, PodManifests.Findings findings) {
    this.document = document;
    this.base = base;
    this.findings = findings;
  }

  Optional<PodSpec> read(JsonNode node) {
    if (!node.isObject()) problem("", "is no mapping; needed is a v1 Pod");
    else if (!node.path("kind").asText().equals("Pod"))
      problem("kind", "is \"" + node.path("kind").asText() + "\"; needed is Pod");
    else if (!node.path("apiVersion").asText().equals("v1"))
      problem("apiVersion", "is \"" + node.path("apiVersion").asText() + "\"; needed is v1");
    if (faulty) return Optional.empty();
    Pod pod = bind(node);
    if (pod == null) return Optional.empty();
    PodSpec spec = checked(pod, node);
    return faulty ? Optional.empty() : Optional.of(spec);
  }

  /// Notes a problem of this pod.
  void problem(String field, String why) {
    faulty = true;
    String path = path(field);
    findings.problem(document.line(path), path, why);
  }

  /// Notes that the pod runs without this.
  void notice(String field, String why) {
    String path = path(field);
    findings.notice(document.line(path), path, why);
  }

  /// Refuses fields that the model library does not know, as `kubectl` does by default.
  void refuseUnknown(String field, Map<String, Object> unknown) {
    for (String key : unknown.keySet())
      problem(ManifestDocument.at(field, key), "is not a field of a v1 Pod");
  }

  private String path(String field) {
    return base.isEmpty() || field.isEmpty() ? base + field : base + "." + field;
  }

  private @Nullable Pod bind(JsonNode node) {
    try {
      return MAPPER.treeToValue(node, Pod.class);
    } catch (JsonMappingException e) {
      problem(fieldOf(e), reasonOf(e.getOriginalMessage()));
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      problem("", reasonOf(e.getOriginalMessage()));
    }
    return null;
  }

  private static String fieldOf(JsonMappingException e) {
    String field = "";
    for (JsonMappingException.Reference step : e.getPath())
      field =
          step.getFieldName() == null
              ? field + "[" + step.getIndex() + "]"
              : ManifestDocument.at(field, step.getFieldName());
    return field;
  }

  private static String reasonOf(String message) {
    String line = message.lines().findFirst().orElse("has a wrong type");
    return line.replaceAll("`?(java|io\\.fabric8)\\.[\\w.$]*\\.(\\w+)(<[^>]*>)?`?", "$2");
  }

  private PodSpec checked(Pod pod, JsonNode node) {
    ObjectMeta meta = Optional.ofNullable(pod.getMetadata()).orElseGet(ObjectMeta::new);
    var spec =
        Optional.ofNullable(pod.getSpec()).orElseGet(io.fabric8.kubernetes.api.model.PodSpec::new);
    refuseUnknown("", pod.getAdditionalProperties());
    refuseUnknown("spec", spec.getAdditionalProperties());
    String name = checkedName(meta);
    String namespace = checkedNamespace(meta);
    if (!spec.getEphemeralContainers().isEmpty())
      problem(
          "spec.ephemeralContainers", "are added to a running pod; a manifest cannot have them");
    if (spec.getContainers().isEmpty())
      problem("spec.containers", "is empty; needed is a container");
    noticeWhatIsLeftOut(spec);
    PodResourcesCheck.check(this, spec.getResources());
    Set<String> names = new HashSet<>();
    return new PodSpec(
        uid(meta, node),
        namespace,
        name,
        Optional.ofNullable(meta.getAnnotations()).orElse(Map.of()),
        containers("spec.initContainers", spec.getInitContainers(), true, names),
        containers("spec.containers", spec.getContainers(), false, names),
        restartPolicy(spec.getRestartPolicy()),
        new NativeQuantities(this, "spec.resources").read(spec.getResources()),
        List.of(),
        draBacked(pod.getStatus()));
  }

  /// Who decided where the pod runs has noted it.
  private Set<PodSpec.DraBacked> draBacked(@Nullable PodStatus status) {
    Set<PodSpec.DraBacked> all = new HashSet<>();
    if (status == null || status.getExtendedResourceClaimStatus() == null) return all;
    String at = "status.extendedResourceClaimStatus";
    notice(at, "is not prepared here");
    for (ContainerExtendedResourceRequest each :
        status.getExtendedResourceClaimStatus().getRequestMappings()) {
      Optional<String> problem = ResourceName.problemOf(String.valueOf(each.getResourceName()));
      if (problem.isPresent()) problem(at + ".requestMappings", problem.get());
      else
        all.add(
            new PodSpec.DraBacked(
                String.valueOf(each.getContainerName()), ResourceName.of(each.getResourceName())));
    }
    return all;
  }

  private List<ContainerSpec> containers(
      String field, List<Container> containers, boolean init, Set<String> names) {
    List<ContainerSpec> specs = new ArrayList<>();
    for (int i = 0; i < containers.size(); i++) {
      String at = field + "[" + i + "]";
      Container container = containers.get(i);
      if (container == null) problem(at, "is empty; needed is a container");
      else specs.add(new ContainerReader(this, at, container).read(init, names));
    }
    return specs;
  }

  private String checkedName(ObjectMeta meta) {
    String name = meta.getName();
    if (name == null || name.isEmpty()) {
      problem("metadata.name", "is missing");
      return "";
    }
    if (name.length() > 253 || !SUBDOMAIN.matcher(name).matches())
      problem(
          "metadata.name",
          "\"" + name + "\" is no DNS-1123 subdomain: lower-case letters, digits, '-' and '.'");
    return name;
  }

  private String checkedNamespace(ObjectMeta meta) {
    String namespace = meta.getNamespace();
    if (namespace == null || namespace.isEmpty()) return "default";
    if (!isLabel(namespace))
      problem(
          "metadata.namespace",
          "\"" + namespace + "\" is no DNS-1123 label: lower-case letters, digits and '-'");
    return namespace;
  }

  /// As for the kubelet's static pods: the manifest's own uid, or one made of its place and
  /// content.
  private String uid(ObjectMeta meta, JsonNode node) {
    String uid = meta.getUid();
    if (uid == null || uid.isEmpty())
      return UUID.nameUUIDFromBytes(
              (findings.file() + "\n" + node).getBytes(StandardCharsets.UTF_8))
          .toString();
    if (!UID.matcher(uid).matches())
      problem("metadata.uid", "\"" + uid + "\" has to be of letters, digits, '-', '_' and '.'");
    return uid;
  }

  private RestartPolicy restartPolicy(@Nullable String policy) {
    return switch (policy == null || policy.isEmpty() ? "Always" : policy) {
      case "Always" -> RestartPolicy.ALWAYS;
      case "OnFailure" -> RestartPolicy.ON_FAILURE;
      case "Never" -> RestartPolicy.NEVER;
      default -> {
        problem(
            "spec.restartPolicy", "is \"" + policy + "\"; needed is Always, OnFailure or Never");
        yield RestartPolicy.NEVER;
      }
    };
  }

  private void noticeWhatIsLeftOut(io.fabric8.kubernetes.api.model.PodSpec spec) {
    if (!spec.getVolumes().isEmpty()) notice("spec.volumes", "are not made here");
    if (Boolean.TRUE.equals(spec.getHostNetwork()))
      notice("spec.hostNetwork", "is not followed: each container has a network of its own");
    if (Boolean.TRUE.equals(spec.getHostPID()) || Boolean.TRUE.equals(spec.getHostIPC()))
      notice("spec", "hostPID and hostIPC are not followed");
    if (!spec.getResourceClaims().isEmpty()) notice("spec.resourceClaims", "are not prepared here");
  }

  static boolean isLabel(String text) {
    return text.length() <= 63 && LABEL.matcher(text).matches();
  }
}
