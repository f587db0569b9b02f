package dev.patchbay.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// In the image the JVM is the interpreter of `/usr/bin/patchbay`, and the kernel names the script.
final class ScriptArgumentTest {
  @BeforeEach
  void startFromTheScript() {
    System.setProperty("patchbay.script", "/usr/bin/patchbay");
  }

  @AfterEach
  void forgetTheScript() {
    System.clearProperty("patchbay.script");
  }

  @Test
  void theScriptsOwnPathIsNoArgument() {
    assertThat(Patchbay.withoutScript("/usr/bin/patchbay", "agent", "--help"))
        .containsExactly("agent", "--help");
  }

  @Test
  void anyOtherFirstWordIsOne() {
    assertThat(Patchbay.withoutScript("validate", "/usr/bin/patchbay"))
        .containsExactly("validate", "/usr/bin/patchbay");
    assertThat(Patchbay.withoutScript()).isEmpty();
  }
}
