package dev.patchbay.cli;

import dev.patchbay.cli.DemoDevices.Offer;

/// The manifests of the demo's pods. What their containers do stands in the manifests; an image is
/// only named, since the embedded kubelet runs containers with the host's programs.
final class DemoPods {
  /// The last line of a container's log.
  static final String END = "end of the container's report";

  /// Tries to open a node of its own making where the container was not given one: an error then is
  /// the device cgroup's, since root may open any node otherwise.
  private static final String SCRIPT =
      """
      opens() {
        if (: <"$1") 2>/tmp/why; then echo "$2: opens"; else echo "$2: refused ($(sed 's/.*: //' /tmp/why))"; fi
      }
      """;

  private static final String STAY =
      """
      echo "%s"
      trap 'exit 0' TERM
      while :; do sleep 3600 & wait $!; done
      """
          .formatted(END);

  private DemoPods() {}

  /// What a container reports about a node that it was given.
  static String granted(Offer offer) {
    return "granted " + offer.node().containerPath();
  }

  /// What a container reports about a node that it was not given.
  static String notGranted(Offer offer) {
    return "not granted " + offer.node().containerPath();
  }

  private static String tryGranted(Offer offer) {
    return "opens %s \"%s\"\n".formatted(offer.node().containerPath(), granted(offer));
  }

  private static String tryOther(Offer offer) {
    return "mknod /tmp/other %s\nopens /tmp/other \"%s\"\n"
        .formatted(offer.number(), notGranted(offer));
  }

  /// The pod of Kubernetes' page on device plugins: one container that asks for two.
  static String demoPod(Offer offer, Offer other) {
    return """
    apiVersion: v1
    kind: Pod
    metadata:
      name: demo-pod
    spec:
      containers:
        - name: demo-container-1
          image: pause
          command:
            - sh
            - -c
            - |
    %s
          resources:
            limits:
              %s: 2
    """
        .formatted(indented(SCRIPT + tryGranted(offer) + tryOther(other) + STAY), offer.resource());
  }

  /// A pod with an init container and one container that asks for nothing.
  static String secondPod(Offer offer, Offer other) {
    return """
    apiVersion: v1
    kind: Pod
    metadata:
      name: second-pod
    spec:
      initContainers:
        - name: check
          image: pause
          command:
            - sh
            - -c
            - |
    %s
          resources: {limits: {%s: 1}}
      containers:
        - name: with
          image: pause
          command:
            - sh
            - -c
            - |
    %s
          resources: {limits: {%s: 1}}
        - name: without
          image: pause
          command:
            - sh
            - -c
            - |
    %s
    """
        .formatted(
            indented(SCRIPT + tryGranted(offer)),
            offer.resource(),
            indented(SCRIPT + tryGranted(offer) + tryOther(other) + STAY),
            offer.resource(),
            indented(SCRIPT + tryOther(offer) + STAY));
  }

  /// A pod that asks for more than there is.
  static String greedyPod(Offer offer) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: greedy-pod}
    spec:
      containers:
        - name: main
          image: pause
          resources: {limits: {%s: %d}}
    """
        .formatted(offer.resource(), offer.ids().size() + 1);
  }

  private static String indented(String script) {
    return script.strip().indent(12).stripTrailing();
  }
}
