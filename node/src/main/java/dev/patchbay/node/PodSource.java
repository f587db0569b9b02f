package dev.patchbay.node;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.node.NodeState.PodState;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/// Where the pods of a node come from: a directory of manifests, or an API server. A node closes
/// the source that it was given.
///
/// [#read] and [#await] are called by one thread at a time; [#happened] and [#gone] by any, and
/// they return at once.
public interface PodSource extends AutoCloseable {
  /// Begins to follow the source and waits until it is known what it asks for: pods that nobody
  /// asks for are taken away by a node that starts.
  void start() throws IOException, InterruptedException;

  /// What is asked for now.
  Wanted read();

  /// Waits until that may have changed.
  void await() throws InterruptedException;

  /// Something happened to a pod of this source.
  void happened(PodSpec pod, PodEvent event);

  /// A pod of this source is gone, with its containers and devices.
  ///
  /// @param last what became of it
  void gone(PodSpec pod, PodState last);

  @Override
  void close();

  /// What a source asks for.
  ///
  /// @param pods by namespace and name
  /// @param problems of the source, one line each
  record Wanted(SequencedMap<String, Asked> pods, List<String> problems) {
    public Wanted {
      pods = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(pods));
      problems = List.copyOf(problems);
    }
  }

  /// One pod.
  ///
  /// @param origin where it was asked for, for people: the path of its manifest
  record Asked(PodSpec pod, String origin, Wish wish) {}

  /// What is to become of a pod.
  sealed interface Wish {
    /// It runs as soon as the node has what it asks for: no scheduler stands before the node.
    record RunWhenItFits() implements Wish {}

    /// It was bound to this node: it is admitted or refused at once.
    record RunNow() implements Wish {}

    /// It has ended. What there is of it stays; it is not begun again.
    record Keep() implements Wish {}

    /// It is to end.
    ///
    /// @param grace how long its containers have to end by themselves
    record End(Duration grace) implements Wish {}
  }
}
