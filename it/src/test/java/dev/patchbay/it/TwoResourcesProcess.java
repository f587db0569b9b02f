package dev.patchbay.it;

import dev.patchbay.testkit.PluginUnderTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedSet;

/// [TwoResources] in a process of their own, told on its standard input which device is ill.
final class TwoResourcesProcess implements PluginUnderTest, PluginUnderTest.HealthSwitch {
  private final JavaProcess java;
  private final PrintStream orders;

  private TwoResourcesProcess(JavaProcess java) {
    this.java = java;
    orders = new PrintStream(java.process().getOutputStream(), true, StandardCharsets.UTF_8);
  }

  static TwoResourcesProcess start(Path kubeletDir) throws IOException {
    JavaProcess java = JavaProcess.start(Program.class.getName(), kubeletDir.toString());
    String first = java.process().inputReader(StandardCharsets.UTF_8).readLine();
    if (!"started".equals(first))
      throw new IOException("the plugins' process says \"" + first + "\" instead of \"started\"");
    return new TwoResourcesProcess(java);
  }

  @Override
  public SequencedMap<String, SortedSet<String>> devices() {
    return TwoResources.devicesAtStart();
  }

  @Override
  public long pid() {
    return java.process().pid();
  }

  @Override
  public boolean isRunning() {
    return java.process().isAlive();
  }

  @Override
  public Optional<HealthSwitch> healthSwitch() {
    return Optional.of(this);
  }

  @Override
  public void makeUnhealthy(String id) {
    orders.println("ill " + id);
  }

  @Override
  public void makeHealthy(String id) {
    orders.println("well " + id);
  }

  @Override
  public void close() throws IOException {
    java.close();
  }

  /// The process.
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      var plugins = TwoResources.start(Path.of(args[0]));
      Runtime.getRuntime().addShutdownHook(new Thread(plugins::close));
      System.out.println("started");
      try (var orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
          String id = line.substring(line.indexOf(' ') + 1);
          if (line.startsWith("ill ")) plugins.makeUnhealthy(id);
          else plugins.makeHealthy(id);
        }
      }
    }
  }
}
