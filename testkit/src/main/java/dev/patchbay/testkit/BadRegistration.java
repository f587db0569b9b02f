package dev.patchbay.testkit;

import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import java.util.List;
import java.util.function.UnaryOperator;

/// A registration that a kubelet has to refuse.
///
/// @param change what is wrong with it
/// @param refusal how the text of the refusal begins; empty where kubelets differ
record BadRegistration(String name, UnaryOperator<RegisterRequest.Builder> change, String refusal) {
  /// All that are tried.
  static final List<BadRegistration> ALL =
      List.of(
          version("an old version", "v1alpha"),
          version("no version", ""),
          resource("a name without domain", "nic"),
          resource("a reserved name", "kubernetes.io/nic"),
          resource("a reserved name at the end", "notkubernetes.io/nic"),
          resource("the name of a quota", "requests.vendor.example/nic"),
          resource("a name with two slashes", "vendor.example/a/b"),
          resource("a name in capitals", "Vendor.example/nic"),
          resource("a name that is too long", "vendor.example/" + "n".repeat(64)),
          resource("no name", ""),
          endpoint("no endpoint", "", ""),
          endpoint("an endpoint that is the directory", ".", ""),
          endpoint("an endpoint outside the directory", "../plugin.sock", ""),
          endpoint("an endpoint with a path", "/tmp/plugin.sock", ""),
          endpoint(
              "an endpoint that is not there", "nobody.sock", "failed to dial device plugin: "),
          endpoint(
              "the kubelet itself as endpoint", "kubelet.sock", "failed to get device plugin"));

  private static BadRegistration version(String name, String version) {
    return new BadRegistration(
        name,
        request -> request.setVersion(version),
        "requested API version \"%s\" is not supported by kubelet. Supported version is [\"v1beta1\"]"
            .formatted(version));
  }

  private static BadRegistration resource(String name, String resource) {
    return new BadRegistration(
        name,
        request -> request.setResourceName(resource),
        "the ResourceName \"%s\" is invalid".formatted(resource));
  }

  private static BadRegistration endpoint(String name, String endpoint, String refusal) {
    return new BadRegistration(name, request -> request.setEndpoint(endpoint), refusal);
  }

  /// Made from a request that would be accepted.
  RegisterRequest request(RegisterRequest good) {
    return change.apply(good.toBuilder()).build();
  }

  @Override
  public String toString() {
    return name;
  }
}
