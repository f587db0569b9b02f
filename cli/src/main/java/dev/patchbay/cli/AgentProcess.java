package dev.patchbay.cli;

import dev.patchbay.agent.Agent;
import dev.patchbay.agent.AgentHealth;
import dev.patchbay.agent.ConfigFile;
import dev.patchbay.agent.config.AgentConfig;
import dev.patchbay.agent.config.HttpConfig;
import dev.patchbay.agent.log.LogOutput;
import dev.patchbay.http.HttpEndpoint;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The agent and what a process has around it: its configuration file and its pages.
final class AgentProcess implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.cli");

  private final Agent agent;
  private final HttpEndpoint http =
      new HttpEndpoint(Map.of("/healthz", _ -> health().alive(), "/readyz", _ -> health().ready()));
  private volatile Optional<ConfigFile> file = Optional.empty();

  private AgentProcess(Agent agent) {
    this.agent = agent;
  }

  /// Takes care of an agent, and closes it.
  ///
  /// @param file what to read again when it changes; empty when there is none
  static AgentProcess around(Agent agent, AgentConfig config, Optional<Path> file) {
    var process = new AgentProcess(agent);
    process.http.apply(config.http().map(HttpConfig::listen));
    process.file = file.map(path -> ConfigFile.watch(path, process::apply));
    return process;
  }

  private void apply(AgentConfig next) {
    LogOutput.configure(next.log(), System.err);
    http.apply(next.http().map(HttpConfig::listen));
    agent.apply(next);
  }

  private AgentHealth health() {
    AgentHealth health = agent.health();
    return file.map(it -> health.with(it.health())).orElse(health);
  }

  /// At SIGHUP.
  void hangUp() {
    if (file.isEmpty())
      LOG.log(System.Logger.Level.WARNING, "SIGHUP: no configuration file to read again");
    file.ifPresent(ConfigFile::reload);
  }

  @Override
  public void close() {
    file.ifPresent(ConfigFile::close);
    http.close();
    agent.close();
  }
}
