package dev.patchbay.kubelet.config;

import java.util.List;

/// What became of a kubelet's configuration.
public sealed interface KubeletConfigReading {
  /// It says this.
  ///
  /// @param notices what is written there and does nothing here, one line each; empty when all of
  ///   it has an effect
  record Valid(KubeletConfiguration configuration, List<String> notices)
      implements KubeletConfigReading {
    public Valid {
      notices = List.copyOf(notices);
    }
  }

  /// It cannot be used, for these reasons: all that could be found.
  record Wrong(List<ConfigProblem> problems) implements KubeletConfigReading {
    public Wrong {
      problems = List.copyOf(problems);
    }
  }
}
