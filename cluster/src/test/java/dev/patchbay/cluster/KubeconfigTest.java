package dev.patchbay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who the node is to an API server, in each way in which a kubeconfig says it: over TLS, to a
/// server that answers with the name of who asks.
@Timeout(120)
final class KubeconfigTest {
  @TempDir private static Path made = Path.of("");
  private static TestIdentity rsa;
  private static TestIdentity elliptic;
  private static TestIdentity self;
  private static HttpsServer server;

  @TempDir private Path dir = Path.of("");

  @BeforeAll
  static void serve() throws Exception {
    self = TestIdentity.of(made, "server", "RSA");
    rsa = TestIdentity.of(made, "system:node:rsa", "RSA");
    elliptic = TestIdentity.of(made, "system:node:ec", "EC");
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(self.keyManagers(), TestIdentity.trusting(List.of(rsa, elliptic)), null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            var wanted = getSSLContext().getDefaultSSLParameters();
            wanted.setWantClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    server.createContext("/", KubeconfigTest::answer);
    server.start();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String who = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
    try {
      who = ((HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName();
    } catch (SSLPeerUnverifiedException e) {
      // It has no certificate.
    }
    byte[] body = who.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  @BeforeEach
  void writeAuthority() throws Exception {
    Files.writeString(dir.resolve("ca.crt"), self.certificatePem());
  }

  @Test
  void aTokenInTheFile() throws Exception {
    assertThat(whoAmI("{token: abc}")).isEqualTo("Bearer abc");
  }

  @Test
  void aNameAndAPassword() throws Exception {
    assertThat(whoAmI("{username: u, password: p}"))
        .isEqualTo(
            "Basic " + Base64.getEncoder().encodeToString("u:p".getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTokenInAFileOfItsOwnThatIsExchanged(boolean absolute) throws Exception {
    Path token = Files.writeString(dir.resolve("token"), "first\n");
    Path file = write("{tokenFile: %s}".formatted(absolute ? token : "token"));
    try (KubernetesClient client = Kubeconfig.read(file).client()) {
      assertThat(client.raw("/")).isEqualTo("Bearer first");

      Files.writeString(token, "second");
      assertThat(client.raw("/")).isEqualTo("Bearer second");

      Files.delete(token);
      assertThat(client.raw("/")).isEqualTo("Bearer second");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PKCS #8", "its own form"})
  void aCertificateWithAKeyOfRsa(String form) throws Exception {
    assertThat(whoAmI(certificate(rsa, form))).isEqualTo("CN=system:node:rsa");
  }

  /// The form of those that a kubelet has from its bootstrap.
  @ParameterizedTest
  @ValueSource(strings = {"PKCS #8", "its own form"})
  void aCertificateWithAKeyOfAnEllipticCurve(String form) throws Exception {
    assertThat(whoAmI(certificate(elliptic, form))).isEqualTo("CN=system:node:ec");
  }

  @Test
  void aCertificateAndItsKeyInOneFile() throws Exception {
    Files.writeString(dir.resolve("both.pem"), elliptic.certificatePem() + elliptic.plainKeyPem());

    assertThat(whoAmI("{client-certificate: both.pem, client-key: both.pem}"))
        .isEqualTo("CN=system:node:ec");
  }

  @Test
  void aCertificateInTheFileItself() throws Exception {
    Base64.Encoder base64 = Base64.getEncoder();
    assertThat(
            whoAmI(
                "{client-certificate-data: %s, client-key-data: %s}"
                    .formatted(
                        base64.encodeToString(
                            rsa.certificatePem().getBytes(StandardCharsets.UTF_8)),
                        base64.encodeToString(rsa.keyPem().getBytes(StandardCharsets.UTF_8)))))
        .isEqualTo("CN=system:node:rsa");
  }

  @Test
  void aPluginThatIsRun() throws Exception {
    Path plugin =
        Files.writeString(
            dir.resolve("login"),
            """
            #!/bin/sh
            echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$WHO'"}}'
            """);
    Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));

    assertThat(
            whoAmI(
                """
                {exec: {apiVersion: client.authentication.k8s.io/v1, command: %s, env: [{name: WHO, value: me}]}}
                """
                    .formatted(plugin)))
        .isEqualTo("Bearer me");
  }

  @Test
  void aFileThatCannotBeUsedIsNamed() throws Exception {
    Path bad = Files.writeString(dir.resolve("bad"), "apiVersion: v1\nkind: Config\n");
    Path tokenless = write("{tokenFile: nowhere}");

    assertThatThrownBy(() -> Kubeconfig.read(bad))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(bad.toString());
    assertThatThrownBy(() -> Kubeconfig.read(dir.resolve("missing")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("missing cannot be read");
    assertThatThrownBy(() -> Kubeconfig.read(tokenless))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(dir.resolve("nowhere").toString());
  }

  private String certificate(TestIdentity who, String form) throws Exception {
    Files.writeString(dir.resolve("me.crt"), who.certificatePem());
    Files.writeString(
        dir.resolve("me.key"), form.equals("PKCS #8") ? who.keyPem() : who.plainKeyPem());
    return "{client-certificate: me.crt, client-key: %s}".formatted(dir.resolve("me.key"));
  }

  private String whoAmI(String user) throws Exception {
    try (KubernetesClient client = Kubeconfig.read(write(user)).client()) {
      return client.raw("/");
    }
  }

  private Path write(String user) throws IOException {
    return Files.writeString(
        dir.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: c, user: u}}]
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority: ca.crt}}]
        users:
          - {name: other, user: {token: wrong}}
          - name: u
            user: %s
        """
            .formatted(server.getAddress().getPort(), user));
  }
}
