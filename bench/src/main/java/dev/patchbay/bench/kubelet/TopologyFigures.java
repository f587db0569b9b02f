package dev.patchbay.bench.kubelet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/// What JMH says of the topology manager alone.
final class TopologyFigures {
  private TopologyFigures() {}

  /// Measures everything and makes a table in Markdown of it. Takes ten minutes with full effort.
  static String measure(KubeletEffort effort) throws RunnerException {
    var time = TimeValue.milliseconds(effort.ofJmh().toMillis());
    var options =
        new OptionsBuilder()
            .include(HintsBenchmark.class.getName())
            .include(MergeBenchmark.class.getName())
            .forks(1)
            .warmupIterations(3)
            .warmupTime(time)
            .measurementIterations(3)
            .measurementTime(time);
    if (!effort.jmhParameters())
      options
          .param("nodes", "8")
          .param("devices", "16")
          .param("policy", "best-effort")
          .param("resources", "2")
          .param("cpuAndMemory", "true");
    return table(new Runner(options.build()).run());
  }

  private static String table(Collection<RunResult> results) {
    var text = new StringBuilder("| benchmark | with | µs | ± |\n| --- | --- | --- | --- |\n");
    for (RunResult result : results) {
      var parameters = result.getParams();
      List<String> with = new ArrayList<>();
      for (String key : parameters.getParamsKeys()) with.add(key + " " + parameters.getParam(key));
      String benchmark = parameters.getBenchmark();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %.2f | %.2f |\n",
              benchmark.substring(benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1) + 1),
              String.join(", ", with),
              result.getPrimaryResult().getScore(),
              result.getPrimaryResult().getScoreError()));
    }
    return text.toString();
  }
}
