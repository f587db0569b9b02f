package dev.patchbay.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/// Measures the shipped agent beside one that plain `java` runs, prints the figures and writes them
/// into a document. No figure is good or bad here: whoever reads them judges.
public final class Bench {
  private Bench() {}

  /// Takes a quarter of an hour.
  ///
  /// @param args the distribution's directory, and the document
  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: Bench DISTRIBUTION DOCUMENT");
      System.exit(2);
    }
    Path home = Path.of(args[0]).toAbsolutePath();
    Document document = Document.open(Path.of(args[1]));
    endAgentsWithThisProgram();
    Machine machine = Machine.here();
    if (machine.isBusy())
      System.err.printf(
          "bench: this machine is busy (load %.2f on %d cores): times will be too long%n",
          machine.load(), machine.cores());
    var ledgers =
        Race.run(
            List.of(Candidate.shipped(home), Candidate.plainJava(home)), Effort.FULL, System.err);
    var report = new Report(LocalDate.now(ZoneOffset.UTC), machine, Effort.FULL, ledgers);
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(report.asText());
    document.replaceFigures(report.asMarkdown());
  }

  /// Also when it is interrupted.
  private static void endAgentsWithThisProgram() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroy)));
  }
}
