package dev.patchbay.kubelet.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.patchbay.kubelet.pods.PodManifest.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Reads manifests of pods: YAML or JSON, one or several documents, also a `v1` `List` of pods.
public final class PodManifests {
  private static final String SMALLEST =
      "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: a}, spec: {containers: [{name: a,"
          + " resources: {limits: {vendor.example/device: 1, memory: 1Mi}}}]}}";

  private PodManifests() {}

  /// Starts a thread that reads a pod which means nothing, so that the first that does finds all
  /// classes of the pod model looked at: a fifth of a second for the first pod after a start.
  public static void prepare() {
    Thread.ofPlatform()
        .daemon()
        .name("patchbay-pod-model")
        .start(() -> {
          var _ = read("", SMALLEST);
        });
  }

  /// Reads the text of one manifest file. One bad pod of three leaves two pods and its problems.
  ///
  /// @param file name for messages; also what makes the uid of a pod without `metadata.uid` its
  ///   own: the same text under another name is another pod
  /// @param text content of the file
  public static PodManifest read(String file, String text) {
    Findings findings = new Findings(file);
    List<PodSpec> pods = new ArrayList<>();
    for (ManifestDocument document : ManifestDocument.all(text, findings))
      readDocument(document, findings, pods);
    return manifest(pods, findings);
  }

  /// The same of a document that has been read already, whose problems have no lines then.
  public static PodManifest readTree(String file, JsonNode document) {
    Findings findings = new Findings(file);
    List<PodSpec> pods = new ArrayList<>();
    readDocument(new ManifestDocument(document, Map.of()), findings, pods);
    return manifest(pods, findings);
  }

  private static PodManifest manifest(List<PodSpec> pods, Findings findings) {
    if (pods.isEmpty() && findings.problems().isEmpty()) findings.problem(0, "", "holds no pod");
    return new PodManifest(withoutTwins(pods, findings), findings.problems(), findings.notices());
  }

  private static void readDocument(
      ManifestDocument document, Findings findings, List<PodSpec> pods) {
    if (document.root().path("kind").asText().equals("List")) {
      readItems(document, findings, pods);
      return;
    }
    new PodReader(document, "", findings).read(document.root()).ifPresent(pods::add);
  }

  private static void readItems(ManifestDocument document, Findings findings, List<PodSpec> pods) {
    if (!document.root().path("apiVersion").asText().equals("v1"))
      findings.problem(document.line("apiVersion"), "apiVersion", "a List has to be of version v1");
    JsonNode items = document.root().path("items");
    if (!items.isArray())
      findings.problem(document.line("items"), "items", "has to be a list of pods");
    for (int i = 0; i < items.size(); i++)
      new PodReader(document, "items[" + i + "]", findings).read(items.get(i)).ifPresent(pods::add);
  }

  private static List<PodSpec> withoutTwins(List<PodSpec> pods, Findings findings) {
    Set<String> names = new HashSet<>();
    Set<String> uids = new HashSet<>();
    List<PodSpec> kept = new ArrayList<>();
    for (PodSpec pod : pods) {
      String name = pod.namespace() + "/" + pod.name();
      if (!names.add(name)) findings.problem(0, "metadata.name", "pod " + name + " occurs twice");
      else if (!uids.add(pod.uid()))
        findings.problem(0, "metadata.uid", "uid " + pod.uid() + " occurs twice");
      else kept.add(pod);
    }
    return kept;
  }

  /// The problems and notices of one file, as they are found.
  static final class Findings implements ManifestDocument.Findings {
    private final String file;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Problem> notices = new ArrayList<>();

    Findings(String file) {
      this.file = file;
    }

    String file() {
      return file;
    }

    @Override
    public void problem(int line, String field, String why) {
      problems.add(new Problem(file, line, field, why));
    }

    void notice(int line, String field, String why) {
      notices.add(new Problem(file, line, field, why));
    }

    List<Problem> problems() {
      return problems;
    }

    List<Problem> notices() {
      return notices;
    }
  }
}
