package dev.patchbay.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StartScriptTest {
  @TempDir private Path home = Path.of("/nonexistent");

  @Test
  void isWhatTheScriptDoesForTheAgent() throws Exception {
    script(
        """
        #!/bin/sh
        home=$(cd "${0%/*}/.." && pwd)
        [ "$1" = agent ] && flags=-Xmx64m
        [ -r "$home/lib/agent.aot" ] && flags="$flags -XX:AOTCache=$home/lib/agent.aot"
        export LC_CTYPE=C.UTF-8
        exec "$home/runtime/bin/java" $flags -cp "$home/lib/a b.jar" Main "$@"
        """);

    StartScript script = StartScript.ofAgent(home, "/usr/lib/p");

    assertThat(script.arguments())
        .containsExactly(
            "-Xmx64m",
            "-XX:AOTCache=/usr/lib/p/lib/agent.aot",
            "-cp",
            "/usr/lib/p/lib/a b.jar",
            "Main");
    assertThat(script.environment()).containsExactly("LC_CTYPE=C.UTF-8");
  }

  @Test
  void aScriptThatDoesSomethingElseIsRefused() throws Exception {
    script("#!/bin/sh\necho no\n");
    assertThatThrownBy(() -> StartScript.ofAgent(home, "/p"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("[no]");
  }

  @Test
  void theArgumentFileQuotesWhatJavaWouldTakeApart() {
    assertThat(new StartScript(List.of("-Da=b c", "-D\"\\"), List.of()).argumentFile())
        .isEqualTo("\"-Da=b c\"\n\"-D\\\"\\\\\"\n");
  }

  private void script(String text) throws IOException {
    Path script = Files.createDirectories(home.resolve("bin")).resolve("patchbay");
    Files.writeString(script, text);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(home.resolve("lib"));
    Files.createFile(home.resolve("lib/agent.aot"));
  }
}
