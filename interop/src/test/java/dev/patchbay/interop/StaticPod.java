package dev.patchbay.interop;

/// A pod whose container tries to open every node that it was given and one that it was not, says
/// which variables its devices brought, and then sleeps.
///
/// @param resource what its container asks for
/// @param count how many of it
record StaticPod(String name, String resource, int count) {
  /// The last line of the container's output.
  static final String TRIED = "tried them all";

  /// What the container does first.
  static final String SCRIPT =
      """
      mknod /dev/other b 7 7
      for node in /dev/toy* /dev/other; do
        (: <$node) 2>&1 && echo opens $node
      done
      env | grep ^TOY_ | sort
      echo %s
      """
          .formatted(TRIED);

  String yaml() {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s, namespace: default}
    spec:
      hostNetwork: true
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: localhost/patchbay/interop:1
          imagePullPolicy: Never
          command:
            - sh
            - -c
            - |
    %s          exec sleep 2000000000
          resources: {limits: {%s: %d}}
    """
        .formatted(name, SCRIPT.indent(10), resource, count);
  }
}
