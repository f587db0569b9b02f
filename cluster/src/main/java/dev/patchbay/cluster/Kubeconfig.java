package dev.patchbay.cluster;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The way to an API server, as a kubeconfig file says it: its current context counts.
///
/// @param access what the client library makes of the file
record Kubeconfig(Config access) {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cluster");

  /// Reads the file, and says what it lacks. Watches are plain responses that do not end, as those
  /// of Kubernetes' own clients; requests are not repeated by the library, since everything here is
  /// tried again with what is true then.
  static Kubeconfig read(Path file) throws IOException {
    if (!Files.isReadable(file)) throw new IOException("kubeconfig " + file + " cannot be read");
    Config access;
    Optional<Path> tokenFile;
    try {
      access = Config.fromKubeconfig(file.toFile());
      tokenFile = tokenFile(file, access);
    } catch (RuntimeException e) {
      Throwable reason = e;
      while (reason.getCause() != null) reason = reason.getCause();
      throw new IOException("kubeconfig " + file + " cannot be used: " + reason.getMessage(), e);
    }
    if (access.getCurrentContext() == null || access.getCurrentContext().getContext() == null)
      throw new IOException(
          "kubeconfig " + file + " names no current context, or one that it does not have");
    if (tokenFile.isPresent()) follow(tokenFile.get(), access);
    takeApart(access);
    access.setOnlyHttpWatches(true);
    access.setRequestRetryBackoffLimit(0);
    access.setWatchReconnectInterval(500);
    access.setUserAgent("patchbay-kubelet");
    return new Kubeconfig(access);
  }

  /// The file in which the user's token lies, which the library does not look at.
  private static Optional<Path> tokenFile(Path file, Config access) throws IOException {
    if (access.getCurrentContext() == null || access.getCurrentContext().getContext() == null)
      return Optional.empty();
    String user = access.getCurrentContext().getContext().getUser();
    var whole =
        new KubernetesSerialization()
            .unmarshal(Files.readString(file), io.fabric8.kubernetes.api.model.Config.class);
    return whole.getUsers().stream()
        .filter(each -> each.getName().equals(user))
        .map(NamedAuthInfo::getUser)
        .map(AuthInfo::getTokenFile)
        .filter(path -> path != null && !path.isEmpty())
        .map(path -> file.toAbsolutePath().resolveSibling(path))
        .findFirst();
  }

  /// Tokens in files are exchanged while they are used: each request takes the newest.
  private static void follow(Path tokenFile, Config access) throws IOException {
    var newest = new AtomicReference<>(Files.readString(tokenFile).strip());
    access.setOauthTokenProvider(() -> {
      try {
        newest.set(Files.readString(tokenFile).strip());
      } catch (IOException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "token not read, the last one is used file={0} why=\"{1}\"",
            tokenFile,
            e.getMessage());
      }
      return newest.get();
    });
  }

  /// A certificate and its key may lie in one file, as a kubelet's own do, and the key be of either
  /// kind; the library wants each alone, and to be told the kind.
  private static void takeApart(Config access) throws IOException {
    Optional<String> certificate = text(access.getClientCertData(), access.getClientCertFile());
    Optional<String> key = text(access.getClientKeyData(), access.getClientKeyFile());
    if (certificate.isEmpty() || key.isEmpty()) return;
    access.setClientCertData(base64(Pem.certificates(certificate.get())));
    String plain = Pem.key(key.get());
    access.setClientKeyData(base64(plain));
    access.setClientKeyAlgo(Pem.algorithm(plain));
  }

  private static Optional<String> text(@Nullable String data, @Nullable String file)
      throws IOException {
    if (data != null && !data.isEmpty())
      return Optional.of(
          data.startsWith("-----")
              ? data
              : new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII));
    return file == null || file.isEmpty()
        ? Optional.empty()
        : Optional.of(Files.readString(Path.of(file)));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  /// A client of that API server; the caller's to close.
  KubernetesClient client() {
    return new KubernetesClientBuilder()
        .withConfig(access)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }
}
