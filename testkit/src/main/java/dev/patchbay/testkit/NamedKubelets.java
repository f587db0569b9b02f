package dev.patchbay.testkit;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The kubelets of one test, or of one class of tests, by their names. Thread-safe.
final class NamedKubelets {
  private final Map<String, TestKubelet> kubelets = new LinkedHashMap<>();

  /// The kubelet of this name, made as it is wanted if there is none yet.
  synchronized TestKubelet get(EmbeddedKubelet wanted) throws IOException {
    TestKubelet known = kubelets.get(wanted.value());
    if (known != null) return known;
    TestKubelet made =
        TestKubelet.making()
            .callTimeout(Duration.ofMillis(wanted.callTimeoutMillis()))
            .apis(wanted.apis())
            .topology(wanted.topologyPolicy(), wanted.numaNodes())
            .kubernetes(wanted.kubernetes())
            .config(wanted.config())
            .quirks(wanted.quirks())
            .make();
    kubelets.put(wanted.value(), made);
    if (wanted.started()) made.start();
    return made;
  }

  synchronized List<TestKubelet> all() {
    return List.copyOf(kubelets.values());
  }

  /// Ends all, also when one of them cannot be ended.
  void close() throws IOException {
    IOException failure = null;
    for (TestKubelet each : all().reversed()) {
      try {
        each.close();
      } catch (IOException e) {
        if (failure == null) failure = e;
        else failure.addSuppressed(e);
      }
    }
    if (failure != null) throw failure;
  }
}
