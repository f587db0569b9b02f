package dev.patchbay.bench.kubelet;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The same work done by our kubelet side and by the reference kubelet, one after the other.
///
/// @param ours a command that answers the control protocol
/// @param theirs a command that answers the control protocol
/// @param progress is told what is measured next
record KubeletRace(
    List<String> ours, List<String> theirs, KubeletEffort effort, PrintStream progress) {
  /// Measures all cases. Takes ten minutes with full effort.
  ///
  /// @throws ControlledKubelet.Hung when a kubelet does not answer
  List<KubeletFigure> run() throws ControlledKubelet.Hung {
    List<KubeletFigure> figures = new ArrayList<>();
    for (KubeletCase each : KubeletCase.all(effort)) {
      progress.println("bench-kubelet: " + each.text());
      List<String> why = new ArrayList<>();
      var measuring =
          new Measuring<>(each.setting(), stage -> KubeletTimes.of(each.work(), stage, effort));
      Optional<KubeletTimes> our = measuring.with("ours", ours, why);
      Optional<KubeletTimes> their = Optional.empty();
      if (each.isTooMuchForUpstream()) why.add("upstream: takes minutes for each");
      else their = measuring.with("upstream", theirs, why);
      figures.add(new KubeletFigure(each, our, their, String.join("; ", why)));
    }
    return figures;
  }

  /// Resident memory of both after a collection of garbage, as a table in Markdown.
  ///
  /// @throws ControlledKubelet.Hung when a kubelet does not answer
  String memory() throws ControlledKubelet.Hung {
    var text =
        new StringBuilder(
            """
            | resident memory with | ours | upstream | ours / upstream |
            | --- | --- | --- | --- |
            """);
    for (KubeletSetting setting : KubeletCase.ofMemory(effort)) {
      String with = KubeletCase.describe(setting);
      progress.println("bench-kubelet: resident memory with " + with);
      List<String> why = new ArrayList<>();
      var measuring = new Measuring<>(setting, KubeletStage::residentKib);
      Optional<Long> our = measuring.with("ours", ours, why);
      Optional<Long> their = measuring.with("upstream", theirs, why);
      text.append(
          our.isPresent() && their.isPresent()
              ? String.format(
                  Locale.ROOT,
                  "| %s | %.1f MiB | %.1f MiB | %.2f |\n",
                  with,
                  our.get() / 1024.0,
                  their.get() / 1024.0,
                  (double) our.get() / their.get())
              : "| %s | not measured: %s | | |\n".formatted(with, String.join("; ", why)));
    }
    return text.toString();
  }

  private interface Measure<T> {
    T of(KubeletStage stage) throws IOException;
  }

  private record Measuring<T>(KubeletSetting setting, Measure<T> measure) {
    Optional<T> with(String who, List<String> command, List<String> why)
        throws ControlledKubelet.Hung {
      try (var stage = KubeletStage.of(command, setting)) {
        return Optional.of(measure.of(stage));
      } catch (ControlledKubelet.Hung e) {
        throw e;
      } catch (IOException e) {
        why.add(who + ": " + e.getMessage());
        return Optional.empty();
      }
    }
  }
}
