package dev.patchbay.testkit;

import dev.patchbay.kubelet.Quirk;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/// Gives a test a kubelet: a parameter of type [TestKubelet] is one that runs in a temporary
/// directory, and ends with the test.
///
/// ```java
/// @EmbeddedKubelet
/// final class FusePluginTest {
///   @Test
///   void listsTwoDevices(TestKubelet kubelet) throws Exception {
///     …
///     kubelet.awaitAllocatable("example.com/fuse", 2);
///   }
/// }
/// ```
///
/// On a class or a method it is for all parameters without one of their own. On a parameter it is
/// for this one; parameters with the same name have the same kubelet, also in `@BeforeEach` and
/// `@AfterEach`, so that a test that needs several gives them names.
///
/// Needs JUnit 5.10 or later.
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EmbeddedKubeletExtension.class)
public @interface EmbeddedKubelet {
  /// The kubelet's name, to tell several of one test apart.
  String value() default "";

  /// How long it lives.
  Lifetime lifetime() default Lifetime.METHOD;

  /// Whether it runs when the test begins; else [TestKubelet#start] starts it, and until then there
  /// is not even its directory for plugins.
  boolean started() default true;

  /// The deadline of calls to a plugin, in milliseconds.
  long callTimeoutMillis() default 10_000;

  /// Which versions of the device plugin API it speaks: `v1beta1` is that of Kubernetes 1.10 and
  /// later, `v1alpha2` that of 1.9, `0.1` that of 1.8. With one of the old ones alone it is what a
  /// plugin finds on such a node.
  String[] apis() default {"v1beta1", "v1alpha2", "0.1"};

  /// How much its topology manager insists that what a container gets lies together: `none`,
  /// `best-effort`, `restricted` or `single-numa-node`.
  String topologyPolicy() default "none";

  /// How many NUMA nodes its machine has, numbered from 0: those that devices of plugins may name.
  int numaNodes() default 1;

  /// Which version of Kubernetes it follows where they differ: `1.34`, `1.35` or `1.36`.
  String kubernetes() default "1.36";

  /// Fields of a `KubeletConfiguration` as YAML, without `apiVersion` and `kind`: options of the
  /// topology manager, policies of the CPU manager and the memory manager, what is reserved,
  /// feature gates. What is wrong with them fails the test, with line and reason.
  ///
  /// With any of them what a pod asks for of CPUs and memory is compared with what the machine has.
  String config() default "";

  /// Defects of Kubernetes' kubelet that it imitates.
  Quirk[] quirks() default {};

  /// How long a kubelet lives.
  enum Lifetime {
    /// For one test method, with its `@BeforeEach` and `@AfterEach`.
    METHOD,
    /// For all tests of a class, with its constructor and its `@BeforeAll` and `@AfterAll`.
    CLASS
  }
}
