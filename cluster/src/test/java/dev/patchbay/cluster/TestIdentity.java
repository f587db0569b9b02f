package dev.patchbay.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/// Somebody with a certificate that is signed by itself, made for one test by the JDK's keytool.
record TestIdentity(PrivateKey key, Certificate certificate) {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /// Object identifier of the curve secp256r1 (prime256v1), 1.2.840.10045.3.1.7.
  private static final byte[] P256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7};

  /// @param algorithm `RSA` or `EC`
  static TestIdentity of(Path dir, String name, String algorithm) throws Exception {
    Path file = dir.resolve(name + "-" + algorithm + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "it",
                "-keyalg",
                algorithm,
                algorithm.equals("EC") ? "-groupname" : "-keysize",
                algorithm.equals("EC") ? "secp256r1" : "2048",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) throw new IOException("keytool: " + said);
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    Files.delete(file);
    return new TestIdentity((PrivateKey) store.getKey("it", PASSWORD), store.getCertificate("it"));
  }

  /// The certificate as PEM.
  String certificatePem() throws GeneralSecurityException {
    return pem("CERTIFICATE", certificate.getEncoded());
  }

  /// The key as PEM in the container for keys of all kinds, PKCS #8.
  String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  /// The key as PEM in the form of its own kind, as Go's tools write it: PKCS #1 or SEC 1.
  String plainKeyPem() throws IOException {
    if (key instanceof ECPrivateKey elliptic)
      return pem(
          "EC PRIVATE KEY",
          element(
              0x30,
              element(2, new byte[] {1}),
              element(4, fixed(elliptic.getS(), 32)),
              element(0xa0, element(6, P256))));
    byte[] whole = key.getEncoded();
    // The last element of PKCS #8 holds the key in the form of its own kind.
    int begin = 4 + 3 + 15 + 4;
    return pem("RSA PRIVATE KEY", Arrays.copyOfRange(whole, begin, whole.length));
  }

  private static byte[] fixed(BigInteger number, int length) {
    byte[] bytes = number.toByteArray();
    byte[] fixed = new byte[length];
    int used = Math.min(bytes.length, length);
    System.arraycopy(bytes, bytes.length - used, fixed, length - used, used);
    return fixed;
  }

  /// An element of ASN.1 that is shorter than 128 bytes.
  private static byte[] element(int tag, byte[]... parts) throws IOException {
    var content = new ByteArrayOutputStream();
    for (byte[] part : parts) content.write(part);
    var element = new ByteArrayOutputStream();
    element.write(tag);
    element.write(content.size());
    content.writeTo(element);
    return element.toByteArray();
  }

  private static String pem(String what, byte[] bytes) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(what, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), what);
  }

  KeyManager[] keyManagers() throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    store.setKeyEntry("it", key, PASSWORD, new Certificate[] {certificate});
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, PASSWORD);
    return factory.getKeyManagers();
  }

  /// Trusts these and nobody else.
  static TrustManager[] trusting(List<TestIdentity> others)
      throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    for (int i = 0; i < others.size(); i++)
      store.setCertificateEntry("it-" + i, others.get(i).certificate);
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, PASSWORD);
    return store;
  }
}
