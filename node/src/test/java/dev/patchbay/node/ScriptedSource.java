package dev.patchbay.node;

import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.node.NodeState.PodState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A source of pods that a test scripts.
final class ScriptedSource implements PodSource {
  private final SequencedMap<String, Asked> pods = new LinkedHashMap<>();
  private long changes;
  private long seen;

  /// Reasons of what happened, each with the pod's name before it.
  final List<String> happened = new CopyOnWriteArrayList<>();

  final Map<String, PodState> gone = new ConcurrentHashMap<>();

  /// Asks for a pod with one container, `main`.
  void ask(String name, Wish wish) {
    ask(name, wish, "");
  }

  /// The same with these limits.
  synchronized void ask(String name, Wish wish, String limits) {
    String text =
        """
        {apiVersion: v1, kind: Pod, metadata: {name: %s, uid: uid-%s}, spec: {containers: [{name: main, resources: {limits: {%s}}}]}}
        """
            .formatted(name, name, limits);
    PodSpec pod = PodManifests.read("scripted", text).pods().getFirst();
    pods.put("default/" + name, new Asked(pod, "scripted", wish));
    changes++;
    notifyAll();
  }

  @Override
  public void start() {}

  @Override
  public synchronized Wanted read() {
    seen = changes;
    return new Wanted(pods, List.of());
  }

  @Override
  public synchronized void await() throws InterruptedException {
    while (seen == changes) wait();
  }

  @Override
  public void happened(PodSpec pod, PodEvent event) {
    happened.add(pod.name() + " " + event.reason());
  }

  @Override
  public void gone(PodSpec pod, PodState last) {
    gone.put(pod.name(), last);
  }

  @Override
  public void close() {}
}
