package dev.patchbay.bench.kubelet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/// What JMH says of our kubelet side.
///
/// The JVM gets the flags of the distribution that matter here, but a heap for the plugins as well.
record JmhFigures(KubeletEffort effort) {
  /// The topology manager alone, as a table in Markdown. Takes two minutes with full effort.
  String topology() throws RunnerException {
    var options =
        options().include(HintsBenchmark.class.getName()).include(MergeBenchmark.class.getName());
    if (!effort.jmhParameters())
      options
          .param("nodes", "8")
          .param("devices", "16")
          .param("policy", "best-effort")
          .param("resources", "2")
          .param("cpuAndMemory", "true");
    return table(new Runner(options.build()).run());
  }

  /// All cases in one process, as a table in Markdown. Takes three minutes with full effort.
  String cases() throws RunnerException {
    List<String> cases =
        KubeletCase.all(KubeletEffort.FULL).stream().map(KubeletCase::text).toList();
    if (!effort.jmhParameters()) cases = cases.subList(0, 1);
    return table(
        new Runner(
                options()
                    .include(KubeletBenchmark.class.getName())
                    .param("what", cases.toArray(String[]::new))
                    .build())
            .run());
  }

  private ChainedOptionsBuilder options() {
    var time = TimeValue.milliseconds(effort.ofJmh().toMillis());
    return new OptionsBuilder()
        .forks(1)
        .jvmArgsAppend("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m")
        .warmupIterations(3)
        .warmupTime(time)
        .measurementIterations(3)
        .measurementTime(time);
  }

  private static String table(Collection<RunResult> results) {
    var text = new StringBuilder("| benchmark | with | µs | ± |\n| --- | --- | --- | --- |\n");
    for (RunResult result : results) {
      var parameters = result.getParams();
      List<String> with = new ArrayList<>();
      for (String key : parameters.getParamsKeys())
        with.add(
            key.equals("what") ? parameters.getParam(key) : key + " " + parameters.getParam(key));
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
