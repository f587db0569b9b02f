package dev.patchbay.cli.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.Admission;
import dev.patchbay.kubelet.PodPhase;
import dev.patchbay.kubelet.pods.PodManifest;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The pods that requests have spoken of. They outlive a restart of the kubelet.
final class PodBook {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Entry> byUid = new LinkedHashMap<>();

  /// A pod and what became of it.
  ///
  /// @param refusal why it failed, when it was refused
  record Entry(PodSpec pod, PodPhase phase, Optional<Admission.Refused> refusal) {}

  /// Reads a `v1` Pod; what an API server would fill in may be missing.
  ///
  /// @throws WrongRequest with everything that is wrong with it
  static Entry read(JsonNode given) throws WrongRequest {
    if (!given.isObject()) throw Arguments.wrong("pod", given, "a v1 Pod");
    ObjectNode pod = given.deepCopy();
    if (!pod.hasNonNull("apiVersion")) pod.put("apiVersion", "v1");
    if (!pod.hasNonNull("kind")) pod.put("kind", "Pod");
    ObjectNode meta = pod.withObjectProperty("metadata");
    if (meta.path("name").asText().isEmpty())
      throw new WrongRequest("pod: metadata.name is missing; needed is the pod's name");
    if (meta.path("namespace").asText().isEmpty()) meta.put("namespace", "default");
    if (meta.path("uid").asText().isEmpty())
      meta.put("uid", meta.path("namespace").asText() + "-" + meta.path("name").asText());
    for (String kind : List.of("containers", "initContainers"))
      for (JsonNode container : pod.path("spec").path(kind))
        if (container.isObject() && container.path("image").asText().isEmpty())
          ((ObjectNode) container).put("image", "none");
    PodPhase phase =
        switch (pod.path("status").path("phase").asText()) {
          case "Succeeded" -> PodPhase.SUCCEEDED;
          case "Failed" -> PodPhase.FAILED;
          default -> PodPhase.ACTIVE;
        };
    PodManifest read = PodManifests.readTree("pod", pod);
    if (!read.problems().isEmpty() || read.pods().size() != 1)
      throw new WrongRequest(
          String.join("; ", read.problems().stream().map(Object::toString).toList()));
    return new Entry(read.pods().getFirst(), phase, Optional.empty());
  }

  /// The pod that a request is about: given whole, or one that is known.
  PodSpec find(Arguments request) throws WrongRequest {
    if (request.has("pod")) return read(request.object().get("pod")).pod();
    Optional<String> uid = request.optionalText("uid").filter(text -> !text.isEmpty());
    if (uid.isPresent())
      return entry(uid.get())
          .orElseThrow(() -> new WrongRequest("no pod with uid \"" + uid.get() + "\" is known"))
          .pod();
    String name = request.optionalText("name").orElse("");
    if (name.isEmpty())
      throw new WrongRequest(
          request.where() + " names no pod; needed is pod, uid, or namespace and name");
    String namespace =
        request.optionalText("namespace").filter(text -> !text.isEmpty()).orElse("default");
    return all().stream()
        .map(Entry::pod)
        .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new WrongRequest("no pod " + namespace + "/" + name + " is known"));
  }

  Optional<Entry> entry(String uid) {
    lock.lock();
    try {
      return Optional.ofNullable(byUid.get(uid));
    } finally {
      lock.unlock();
    }
  }

  List<Entry> all() {
    lock.lock();
    try {
      return new ArrayList<>(byUid.values());
    } finally {
      lock.unlock();
    }
  }

  void put(Entry entry) {
    lock.lock();
    try {
      byUid.put(entry.pod().uid(), entry);
    } finally {
      lock.unlock();
    }
  }

  void remove(String uid) {
    lock.lock();
    try {
      byUid.remove(uid);
    } finally {
      lock.unlock();
    }
  }

  void clear() {
    lock.lock();
    try {
      byUid.clear();
    } finally {
      lock.unlock();
    }
  }
}
