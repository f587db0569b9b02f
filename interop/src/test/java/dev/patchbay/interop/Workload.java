package dev.patchbay.interop;

/// A Deployment whose containers ask for a device, try to open every node that they were given and
/// one that they were not, and then sleep.
///
/// @param resource what each of its containers asks for, one of it
record Workload(String name, String resource, int replicas) {
  /// What selects its pods.
  String label() {
    return "app=" + name;
  }

  String yaml() {
    return """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: %s, namespace: default}
    spec:
      replicas: %d
      selector: {matchLabels: {app: %s}}
      template:
        metadata: {labels: {app: %s}}
        spec:
          terminationGracePeriodSeconds: 1
          automountServiceAccountToken: false
          containers:
            - name: main
              image: localhost/patchbay/interop:1
              imagePullPolicy: Never
              command:
                - sh
                - -c
                - |
    %s              exec sleep 2000000000
              resources: {limits: {%s: 1}}
    """
        .formatted(name, replicas, name, name, StaticPod.SCRIPT.indent(14), resource);
  }
}
