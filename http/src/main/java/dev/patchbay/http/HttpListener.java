package dev.patchbay.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.patchbay.http.Page.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/// A socket that answers HTTP, by the JDK's own server.
///
/// Whoever can reach it is a stranger: a request has [#MAX_SECONDS] to come, its head may have 8
/// KiB, at most 64 connections are open, each has at most one (virtual) thread, a body is not read,
/// a path is looked up and never resolved.
final class HttpListener implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.http");
  private static final int BACKLOG = 16;
  private static final String MAX_SECONDS = "5";

  /// The server takes its limits from system properties, once. Who sets them on the command line
  /// means it.
  private static final Map<String, String> LIMITS =
      Map.of(
          "jdk.httpserver.maxConnections", "64",
          "sun.net.httpserver.maxIdleConnections", "16",
          "sun.net.httpserver.maxReqHeaders", "50",
          "sun.net.httpserver.maxReqHeaderSize", "8192",
          "sun.net.httpserver.drainAmount", "0",
          "sun.net.httpserver.maxReqTime", MAX_SECONDS,
          "sun.net.httpserver.maxRspTime", MAX_SECONDS,
          // How often it looks for those that are over their time; it wakes up for that.
          "sun.net.httpserver.timerMillis", "5000");

  private final HttpServer server;
  private final Map<String, Page> pages;
  private final AtomicLong calls = new AtomicLong();

  private HttpListener(HttpServer server, Map<String, Page> pages) {
    this.server = server;
    this.pages = pages;
  }

  /// Listens at an address.
  ///
  /// @throws IOException when it cannot; does not name the address
  static HttpListener open(InetSocketAddress address, Map<String, Page> pages) throws IOException {
    LIMITS.forEach((name, limit) -> {
      if (System.getProperty(name) == null) System.setProperty(name, limit);
    });
    HttpServer server = HttpServer.create(address, BACKLOG);
    var listener = new HttpListener(server, pages);
    server.setExecutor(call ->
        Thread.ofVirtual().name("patchbay-http-" + listener.calls.incrementAndGet()).start(call));
    server.createContext("/", listener::answer);
    server.start();
    return listener;
  }

  /// Where it listens.
  InetSocketAddress address() {
    return server.getAddress();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      boolean reads = method.equals("GET") || method.equals("HEAD");
      if (!reads) exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      Answer answer = reads ? page(exchange) : Answer.text(405, "needed is GET or HEAD\n");
      send(exchange, answer, method.equals("HEAD"));
    }
  }

  private Answer page(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    Page page = path == null ? null : pages.get(path);
    if (page == null)
      return Answer.text(
          404,
          "no such page; there are " + String.join(", ", new TreeSet<>(pages.keySet())) + "\n");
    try {
      return page.answer(Query.parse(exchange.getRequestURI().getQuery()));
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "page failed path=" + path, e);
      return Answer.text(500, "this page fails; the log says why\n");
    }
  }

  private static void send(HttpExchange exchange, Answer answer, boolean headAlone)
      throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    var headers = exchange.getResponseHeaders();
    headers.set("Content-Type", answer.type());
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    if (headAlone) headers.set("Content-Length", String.valueOf(body.length));
    exchange.sendResponseHeaders(answer.status(), headAlone ? -1 : body.length);
    if (!headAlone) Objects.requireNonNull(exchange.getResponseBody()).write(body);
  }

  /// Ends at once; open connections are closed. May be called twice.
  @Override
  public void close() {
    server.stop(0);
  }
}
