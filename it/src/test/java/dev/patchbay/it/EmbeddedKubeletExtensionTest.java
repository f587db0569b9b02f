package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.testkit.EmbeddedKubelet;
import dev.patchbay.testkit.EmbeddedKubelet.Lifetime;
import dev.patchbay.testkit.TestKubelet;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Which kubelet a test gets from `@EmbeddedKubelet`.
final class EmbeddedKubeletExtensionTest {
  @Nested
  @EmbeddedKubelet
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  final class OfEachTest {
    private final Set<Path> seen = new HashSet<>();
    private Optional<TestKubelet> before = Optional.empty();

    @BeforeEach
    void remember(TestKubelet kubelet) {
      before = Optional.of(kubelet);
    }

    @RepeatedTest(3)
    void isAnotherOneAndTheOneBeforeIsGone(TestKubelet kubelet) {
      assertThat(before).containsSame(kubelet);
      assertThat(kubelet.devicePluginDir().resolve("kubelet.sock")).exists();
      assertThat(seen).allSatisfy(earlier -> assertThat(earlier).doesNotExist());
      assertThat(seen.add(kubelet.directory())).isTrue();
    }

    @Test
    void canBeSeveral(
        TestKubelet kubelet,
        @EmbeddedKubelet("a") TestKubelet a,
        @EmbeddedKubelet("a") TestKubelet again,
        @EmbeddedKubelet("b") TestKubelet b) {
      assertThat(a).isSameAs(again).isNotSameAs(b).isNotSameAs(kubelet);
      assertThat(Set.of(a.directory(), b.directory(), kubelet.directory())).hasSize(3);
    }

    @Test
    @EmbeddedKubelet(value = "later", started = false)
    void canWaitToBeStarted(TestKubelet kubelet) throws Exception {
      assertThat(before).as("in @BeforeEach of this test too").containsSame(kubelet);
      assertThat(kubelet.devicePluginDir()).doesNotExist();
      assertThat(kubelet.start().devicePluginDir()).isDirectory();
    }

    @AfterEach
    void isTheSameAfterwards(TestKubelet kubelet) {
      assertThat(before).containsSame(kubelet);
    }
  }

  @Nested
  @EmbeddedKubelet(lifetime = Lifetime.CLASS)
  final class OfAClass {
    private final TestKubelet ofConstructor;

    OfAClass(TestKubelet kubelet) {
      ofConstructor = kubelet;
    }

    @RepeatedTest(2)
    void isTheSameInAllTests(TestKubelet kubelet) {
      assertThat(kubelet).isSameAs(ofConstructor);
      assertThat(kubelet.devicePluginDir().resolve("kubelet.sock")).exists();
    }

    @Nested
    final class Inside {
      @Test
      void isSharedWithNestedClasses(TestKubelet kubelet) {
        assertThat(kubelet).isSameAs(ofConstructor);
      }
    }
  }
}
