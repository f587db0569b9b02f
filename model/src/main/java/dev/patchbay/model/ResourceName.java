package dev.patchbay.model;

import java.util.Optional;
import java.util.regex.Pattern;

/// The name of an extended resource, `domain/name`, by the rule that the kubelet applies at
/// registration (`IsExtendedResourceName` in Kubernetes' `pkg/apis/core/v1/helper`).
///
/// @param domain lower-case DNS-1123 subdomain of at most 244 characters, without `kubernetes.io`
///   at its end
/// @param name 1 to 63 letters, digits, `-`, `_` or `.`, beginning and ending with a letter or
///   digit
public record ResourceName(String domain, String name) implements Comparable<ResourceName> {
  /// The kubelet checks `requests.<domain>` as a subdomain of at most 253 characters.
  private static final int MAX_DOMAIN = 253 - "requests.".length();

  private static final Pattern DOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");

  public ResourceName {
    Optional<String> problem = problemOf(domain + "/" + name);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
  }

  /// Reads `domain/name`.
  ///
  /// @throws IllegalArgumentException when the kubelet would refuse the name; the message says why
  public static ResourceName of(String text) {
    Optional<String> problem = problemOf(text);
    if (problem.isPresent()) throw new IllegalArgumentException(problem.get());
    int slash = text.indexOf('/');
    return new ResourceName(text.substring(0, slash), text.substring(slash + 1));
  }

  /// Why the kubelet would refuse this name, or empty when it is valid.
  public static Optional<String> problemOf(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) return refused(text, "has no slash; needed is domain/name");
    if (text.contains("kubernetes.io/"))
      return refused(text, "is in a domain reserved for Kubernetes");
    if (text.startsWith("requests."))
      return refused(text, "starts with \"requests.\", which quotas reserve");
    String domain = text.substring(0, slash);
    String name = text.substring(slash + 1);
    if (name.indexOf('/') >= 0) return refused(text, "has more than one slash");
    // Before the patterns, which take a stack frame for each label.
    if (domain.length() > MAX_DOMAIN)
      return refused(
          text,
          "has a domain of " + domain.length() + " characters; at most " + MAX_DOMAIN + " fit");
    if (!DOMAIN.matcher(domain).matches())
      return refused(
          text, "has a domain that is not a lower-case DNS-1123 subdomain: \"" + domain + "\"");
    if (name.length() > 63)
      return refused(text, "has a name part of " + name.length() + " characters; at most 63 fit");
    if (!NAME.matcher(name).matches())
      return refused(
          text,
          "has the name part \""
              + name
              + "\"; needed are letters, digits, '-', '_', '.', beginning and ending"
              + " with a letter or digit");
    return Optional.empty();
  }

  private static Optional<String> refused(String text, String why) {
    return Optional.of("resource name \"" + text + "\" " + why);
  }

  @Override
  public int compareTo(ResourceName other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return domain + "/" + name;
  }
}
