package dev.patchbay.bench.kubelet;

import dev.patchbay.bench.Document;
import dev.patchbay.bench.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/// Measures the kubelet side beside the kubelet's own code, prints the figures and writes them into
/// a document.
public final class KubeletBench {
  private KubeletBench() {}

  /// Takes a quarter of an hour. With the environment variable `EFFORT=quick` it only tries
  /// everything, and writes nothing into the document.
  ///
  /// @param args the distribution's directory, the reference kubelet, and the document
  public static void main(String[] args) throws IOException, RunnerException {
    if (args.length != 3) {
      System.err.println("usage: KubeletBench DISTRIBUTION REFERENCE-KUBELET DOCUMENT");
      System.exit(2);
    }
    Document document = Document.openForKubelet(Path.of(args[2]));
    Machine machine = Machine.here();
    if (machine.isBusy())
      System.err.printf(
          "bench-kubelet: this machine is busy (load %.2f on %d cores): times will be too long%n",
          machine.load(), machine.cores());
    List<String> ours =
        List.of(
            Path.of(args[0], "bin/patchbay").toAbsolutePath().toString(), "kubelet", "--control");
    List<String> theirs = List.of(Path.of(args[1]).toAbsolutePath().toString());
    boolean quick = "quick".equals(System.getenv("EFFORT"));
    KubeletEffort effort = quick ? KubeletEffort.QUICK : KubeletEffort.FULL;
    var race = new KubeletRace(ours, theirs, effort, System.err);
    var jmh = new JmhFigures(effort);
    String text;
    try {
      List<KubeletFigure> figures = race.run();
      text =
          """
          Measured on %s: %s. %s

          Medians, and the first time in a fresh process.

          %s
          How the times grow with the devices of a resource:

          %s
          %s
          The same cases of ours within one process, by JMH:

          %s
          The topology manager alone, by JMH:

          %s\
          """
              .formatted(
                  LocalDate.now(ZoneOffset.UTC),
                  machine,
                  machine.business(),
                  KubeletFigure.table(figures),
                  KubeletFigure.growth(figures),
                  race.memory(),
                  jmh.cases(),
                  jmh.topology());
    } catch (ControlledKubelet.Hung e) {
      System.err.println("bench-kubelet: a kubelet hangs: " + e.getMessage());
      System.exit(1);
      return;
    }
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(text);
    if (!quick) document.replaceFigures(text);
  }
}
