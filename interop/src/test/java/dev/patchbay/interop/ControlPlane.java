package dev.patchbay.interop;

import static dev.patchbay.interop.RealNode.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/// etcd, API server, scheduler and controller manager in a [PrivatePlace] with a network of its
/// own, so that their ports are the usual ones.
final class ControlPlane {
  /// The address of the node; `interop/node` gives it.
  static final String NODE_ADDRESS = "10.89.0.1";

  private static final String TOKEN = "interop";

  private ControlPlane() {}

  /// Starts it and waits until the API server is ready.
  static void start(PrivatePlace place) throws IOException, InterruptedException {
    Path dir = place.dir();
    Path key = Files.writeString(dir.resolve("service-account.key"), privateKey());
    Path tokens =
        Files.writeString(dir.resolve("tokens.csv"), TOKEN + ",admin,admin,system:masters\n");
    Path kubeconfig = Files.writeString(kubeconfig(place), kubeconfigText());
    place.start(
        "etcd",
        "etcd",
        "--data-dir=" + dir.resolve("etcd"),
        "--listen-client-urls=http://127.0.0.1:2379",
        "--advertise-client-urls=http://127.0.0.1:2379",
        "--listen-peer-urls=http://127.0.0.1:2380",
        "--unsafe-no-fsync");
    Daemon server =
        place.start(
            "kube-apiserver",
            PrivatePlace.part("kube-apiserver"),
            "--etcd-servers=http://127.0.0.1:2379",
            "--secure-port=6443",
            "--advertise-address=" + NODE_ADDRESS,
            "--cert-dir=" + dir.resolve("certificates"),
            "--service-account-key-file=" + key,
            "--service-account-signing-key-file=" + key,
            "--service-account-issuer=https://interop.invalid",
            "--service-cluster-ip-range=10.90.0.0/24",
            "--token-auth-file=" + tokens,
            "--authorization-mode=RBAC");
    await("the API server; " + server.log())
        .ignoreExceptions()
        .until(() ->
            place
                .run(
                    PrivatePlace.part("kubectl"),
                    "--kubeconfig=" + kubeconfig,
                    "get",
                    "--raw",
                    "/readyz")
                .equals("ok"));
    place.start(
        "kube-scheduler",
        PrivatePlace.part("kube-scheduler"),
        "--kubeconfig=" + kubeconfig,
        "--leader-elect=false",
        "--secure-port=0");
    place.start(
        "kube-controller-manager",
        PrivatePlace.part("kube-controller-manager"),
        "--kubeconfig=" + kubeconfig,
        "--leader-elect=false",
        "--secure-port=0",
        "--service-account-private-key-file=" + key,
        "--root-ca-file=" + dir.resolve("certificates/apiserver.crt"));
  }

  /// The file that clients of the API server read.
  static Path kubeconfig(PrivatePlace place) {
    return place.dir().resolve("kubeconfig");
  }

  private static String kubeconfigText() {
    return """
    apiVersion: v1
    kind: Config
    clusters: [{name: interop, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
    users: [{name: admin, user: {token: %s}}]
    contexts: [{name: interop, context: {cluster: interop, user: admin}}]
    current-context: interop
    """
        .formatted(TOKEN);
  }

  private static String privateKey() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      byte[] key = generator.generateKeyPair().getPrivate().getEncoded();
      return "-----BEGIN PRIVATE KEY-----\n"
          + Base64.getMimeEncoder().encodeToString(key)
          + "\n-----END PRIVATE KEY-----\n";
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has RSA", e);
    }
  }
}
