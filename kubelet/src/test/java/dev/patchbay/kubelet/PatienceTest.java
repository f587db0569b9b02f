package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.NIC;
import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// Registrations for which the kubelet waits in vain.
class PatienceTest {
  @AutoClose private final KubeletSide kubelet = KubeletSide.impatient();

  @AfterEach
  void everythingElseGoesOn() {
    assertThat(kubelet.counts(GPU)).isEqualTo("-");
    kubelet.registered(NIC, "nic-0");
    assertThat(kubelet.counts(NIC)).isEqualTo("1/1");
  }

  @Test
  void aPluginThatNeverOpensItsSocket() {
    assertThat(refusalOf("absent.sock"))
        .isEqualTo(
            "failed to dial device plugin: nobody answers on "
                + kubelet.directory().resolve("absent.sock")
                + ": there is no such file");
  }

  /// Also where the locale is POSIX, in which Java has no name for such a file.
  @Test
  void aPluginWithASocketOutsideAscii() {
    assertThat(refusalOf("grün.sock")).contains("grün.sock");
  }

  @Test
  void aPluginThatNeverTellsItsOptions() {
    ScriptedPlugin plugin = kubelet.plugin("gpu.sock");
    plugin.options = ScriptedPlugin.hang();

    assertThat(plugin.register(GPU).orElseThrow().getDescription())
        .startsWith("failed to get device plugin options: rpc error: code = DeadlineExceeded");
  }

  private @Nullable String refusalOf(String endpoint) {
    return kubelet
        .plugin("gpu.sock")
        .register("v1beta1", GPU.toString(), endpoint)
        .orElseThrow()
        .getDescription();
  }
}
