package dev.patchbay.bench.kubelet;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// The cases of [KubeletCase] within one process: our kubelet side and its plugins over their
/// sockets, without the control protocol.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class KubeletBenchmark {
  /// The text of a case.
  @Param("admit and allocate one device of each resource: 2 nodes, best-effort, 16 devices")
  public String what = "";

  private final Running running = new Running();

  /// What is there while a case is measured; JMH wants fields of its states to be simple.
  private static final class Running {
    KubeletWork work = KubeletWork.ADMIT;
    KubeletWork.Prepared next = () -> 0;
    AutoCloseable stage = () -> {};
    int number;
  }

  private KubeletStage stage() {
    return (KubeletStage) running.stage;
  }

  /// Starts the kubelet and its plugins.
  @Setup
  public void start() throws IOException {
    KubeletCase found =
        KubeletCase.all(KubeletEffort.FULL).stream()
            .filter(each -> each.text().equals(what))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("there is no case \"" + what + "\""));
    running.work = found.work();
    running.stage = KubeletStage.inThisProcess(found.setting());
  }

  /// Does what leads to the work.
  @Setup(Level.Invocation)
  public void prepare() throws IOException {
    running.next = running.work.prepare(stage(), running.number++);
  }

  /// Does the work.
  @Benchmark
  public long work() throws IOException {
    return running.next.run();
  }

  /// Puts away what the work needed.
  @TearDown(Level.Invocation)
  public void finish() {
    running.next.close();
  }

  /// Ends the kubelet and its plugins.
  @TearDown
  public void stop() throws Exception {
    running.stage.close();
  }
}
