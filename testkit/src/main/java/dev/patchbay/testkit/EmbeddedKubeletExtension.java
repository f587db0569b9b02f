package dev.patchbay.testkit;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/// Makes the kubelets of [EmbeddedKubelet], and ends them. Uses of JUnit what 5.10 and 6 both have:
/// so kubelets are closed by callbacks, since a store closes its values in either in another way.
final class EmbeddedKubeletExtension
    implements ParameterResolver, AfterEachCallback, AfterAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(EmbeddedKubeletExtension.class);
  private static final String ENTRY = "kubelet";

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType().equals(TestKubelet.class);
  }

  @Override
  public TestKubelet resolveParameter(ParameterContext parameter, ExtensionContext context) {
    EmbeddedKubelet wanted = wanted(parameter, context);
    ExtensionContext owner =
        switch (wanted.lifetime()) {
          case METHOD -> methodOf(parameter, context);
          case CLASS -> classOf(parameter, context);
        };
    try {
      return kubelets(owner).get(wanted);
    } catch (IOException e) {
      throw new ParameterResolutionException("the kubelet does not start: " + e.getMessage(), e);
    }
  }

  /// The nearest annotation: of the parameter, the method, the class, the classes around it.
  private static EmbeddedKubelet wanted(ParameterContext parameter, ExtensionContext context) {
    Optional<EmbeddedKubelet> own = parameter.findAnnotation(EmbeddedKubelet.class);
    if (own.isPresent()) return own.get();
    Optional<EmbeddedKubelet> method =
        annotation(parameter.getDeclaringExecutable())
            .or(() -> context.getTestMethod().flatMap(EmbeddedKubeletExtension::annotation));
    return method
        .or(() -> annotatedClass(context).flatMap(EmbeddedKubeletExtension::annotation))
        .orElseThrow(() ->
            new ParameterResolutionException(
                "no @EmbeddedKubelet on the parameter "
                    + parameter.getParameter()
                    + ", its method or class"));
  }

  private static Optional<EmbeddedKubelet> annotation(AnnotatedElement element) {
    return AnnotationSupport.findAnnotation(element, EmbeddedKubelet.class);
  }

  private static Optional<Class<?>> annotatedClass(ExtensionContext context) {
    for (Optional<ExtensionContext> at = Optional.of(context);
        at.isPresent();
        at = at.get().getParent()) {
      Optional<Class<?>> found = testClass(at.get()).filter(each -> annotation(each).isPresent());
      if (found.isPresent()) return found;
    }
    return Optional.empty();
  }

  private static Optional<Class<?>> testClass(ExtensionContext context) {
    return context.getElement().filter(Class.class::isInstance).map(Class.class::cast);
  }

  private static ExtensionContext methodOf(ParameterContext parameter, ExtensionContext context) {
    if (context.getTestMethod().isPresent()) return context;
    throw new ParameterResolutionException(
        "the kubelet of a test method cannot be had in %s, which belongs to its class: say @EmbeddedKubelet(lifetime = CLASS)"
            .formatted(parameter.getDeclaringExecutable()));
  }

  /// The class that is annotated, so that the nested ones share its kubelet; without one the class
  /// of the test.
  private static ExtensionContext classOf(ParameterContext parameter, ExtensionContext context) {
    boolean own =
        parameter.isAnnotated(EmbeddedKubelet.class)
            || annotation(parameter.getDeclaringExecutable()).isPresent();
    Optional<ExtensionContext> nearest = Optional.empty();
    for (Optional<ExtensionContext> at = Optional.of(context);
        at.isPresent();
        at = at.get().getParent()) {
      Optional<Class<?>> here = testClass(at.get());
      if (here.isEmpty()) continue;
      if (nearest.isEmpty()) nearest = at;
      if (own || annotation(here.get()).isPresent()) return at.get();
    }
    return nearest.orElseThrow(
        () -> new ParameterResolutionException("no class belongs to " + context.getDisplayName()));
  }

  // Its successor in JUnit 6 is not in 5.
  @SuppressWarnings("deprecation")
  private static NamedKubelets kubelets(ExtensionContext owner) {
    return Objects.requireNonNull(
        store(owner)
            .getOrComputeIfAbsent(
                owner.getUniqueId(), _ -> new NamedKubelets(), NamedKubelets.class));
  }

  private static Store store(ExtensionContext owner) {
    return owner.getStore(NAMESPACE);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    close(context);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    close(context);
  }

  private static void close(ExtensionContext context) throws IOException {
    // By its own id: a store shows what the stores around it hold.
    NamedKubelets kubelets = store(context).remove(context.getUniqueId(), NamedKubelets.class);
    if (kubelets == null) return;
    if (context.getExecutionException().isPresent())
      for (TestKubelet each : kubelets.all()) context.publishReportEntry(ENTRY, each.toString());
    kubelets.close();
  }
}
