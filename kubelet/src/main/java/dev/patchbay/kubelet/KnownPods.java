package dev.patchbay.kubelet;

import dev.patchbay.kubelet.pods.PodSpec;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// The pods of the node in the order in which they became known. Its lock is taken inside no other,
/// and no other inside it.
final class KnownPods {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, KnownPod> byUid = new LinkedHashMap<>();
  private final Set<String> undecided = new HashSet<>();

  /// A pod exists. One that is known already keeps its phase and gets the newer spec.
  void know(PodSpec spec) {
    lock.lock();
    try {
      byUid.merge(
          spec.uid(),
          new KnownPod(spec, PodPhase.ACTIVE, Optional.empty()),
          (known, _) -> new KnownPod(spec, known.phase(), known.admission()));
    } finally {
      lock.unlock();
    }
  }

  /// It is being decided about a pod, which keeps what it gets meanwhile.
  void deciding(PodSpec spec) {
    lock.lock();
    try {
      undecided.add(spec.uid());
      KnownPod known = byUid.get(spec.uid());
      byUid.put(
          spec.uid(),
          new KnownPod(
              spec, PodPhase.ACTIVE, known == null ? Optional.empty() : known.admission()));
    } finally {
      lock.unlock();
    }
  }

  /// It was decided about a pod; a refused one has failed. One that ended meanwhile has ended.
  void decided(String uid, Admission admission) {
    change(
        uid,
        pod -> {
          undecided.remove(uid);
          PodPhase phase =
              switch (admission) {
                case Admission.Admitted _ -> pod.phase();
                case Admission.Refused _ -> PodPhase.FAILED;
              };
          return new KnownPod(pod.spec(), phase, Optional.of(admission));
        });
  }

  /// A pod ended, or turned out to be in another phase than it was thought to be.
  void enter(String uid, PodPhase phase) {
    change(uid, pod -> pod.in(phase));
  }

  private void change(String uid, UnaryOperator<KnownPod> change) {
    lock.lock();
    try {
      byUid.computeIfPresent(uid, (_, pod) -> change.apply(pod));
    } finally {
      lock.unlock();
    }
  }

  void remove(String uid) {
    lock.lock();
    try {
      byUid.remove(uid);
      undecided.remove(uid);
    } finally {
      lock.unlock();
    }
  }

  Optional<KnownPod> find(String uid) {
    lock.lock();
    try {
      return Optional.ofNullable(byUid.get(uid));
    } finally {
      lock.unlock();
    }
  }

  List<KnownPod> all() {
    lock.lock();
    try {
      return List.copyOf(byUid.values());
    } finally {
      lock.unlock();
    }
  }

  /// The active pods beside one, without those about which it is being decided.
  List<PodSpec> beside(String uid) {
    lock.lock();
    try {
      return byUid.values().stream()
          .filter(KnownPod::isActive)
          .map(KnownPod::spec)
          .filter(pod -> !pod.uid().equals(uid) && !undecided.contains(pod.uid()))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  List<PodSpec> active() {
    return all().stream().filter(KnownPod::isActive).map(KnownPod::spec).toList();
  }

  Set<String> activeUids() {
    Set<String> uids = new HashSet<>();
    for (KnownPod pod : all()) if (pod.isActive()) uids.add(pod.spec().uid());
    return uids;
  }
}
