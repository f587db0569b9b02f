package dev.patchbay.agent.config;

import java.net.InetSocketAddress;

/// Where the agent answers HTTP.
///
/// @param listen an address of this machine, or the wildcard of all; port 0 is any that is free
public record HttpConfig(InetSocketAddress listen) {
  public HttpConfig {
    if (listen.isUnresolved())
      throw new IllegalArgumentException("listen is a name: " + listen.getHostString());
  }
}
