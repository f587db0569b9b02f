package dev.patchbay.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/// As much of an API server as a node speaks with, over real HTTP: objects by their path, merge
/// patches of them and of their status, a watch of pods, and a log of all requests. It can be
/// stopped and started again with what it holds, and forget what changed when.
final class ScriptedApiServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TreeMap<String, ObjectNode> objects = new TreeMap<>();
  private final List<LinkedBlockingQueue<String>> watches = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final int port;
  private HttpServer server;
  private ExecutorService threads;
  private long version = 100;
  private long oldest; // version of which it still knows what changed since

  ScriptedApiServer() throws IOException {
    start(0);
    port = server.getAddress().getPort();
  }

  private void start(int onPort) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort), 0);
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /// Stops to answer; what is connected loses its connection.
  void goAway() {
    server.stop(0);
    threads.shutdownNow();
    watches.clear();
  }

  /// Answers again, at the same address.
  void comeBack() throws IOException {
    start(port);
  }

  /// Ends all watches as a server does whose history is too short for them, and forgets it.
  synchronized void expireWatches() {
    oldest = ++version;
    ObjectNode event = JSON.createObjectNode().put("type", "ERROR");
    event.set("object", failure(410, "Expired"));
    for (var watch : watches) watch.add(event + "\n");
  }

  String kubeconfig() {
    return """
    apiVersion: v1
    kind: Config
    current-context: c
    contexts: [{name: c, context: {cluster: c, user: u}}]
    clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
    users: [{name: u, user: {token: t}}]
    """
        .formatted(port);
  }

  /// All requests so far, as `METHOD path?query`.
  List<String> requests() {
    return List.copyOf(requests);
  }

  /// Adds or replaces an object, as somebody else would.
  synchronized void put(String path, String yaml) throws IOException {
    boolean isNew = !objects.containsKey(path);
    store(path, (ObjectNode) JSON.readTree(yaml), isNew ? "ADDED" : "MODIFIED");
  }

  synchronized void delete(String path) {
    ObjectNode gone = objects.remove(path);
    if (gone != null) tell("DELETED", path, gone);
  }

  /// The object at this path; missing when there is none.
  synchronized JsonNode get(String path) {
    ObjectNode object = objects.get(path);
    return object == null ? JSON.missingNode() : object.deepCopy();
  }

  /// The objects whose path begins so.
  synchronized List<JsonNode> list(String prefix) {
    List<JsonNode> found = new ArrayList<>();
    objects.forEach((path, object) -> {
      if (path.startsWith(prefix)) found.add(object.deepCopy());
    });
    return found;
  }

  private void store(String path, ObjectNode object, String change) {
    ObjectNode meta = object.withObject("/metadata");
    meta.put("resourceVersion", String.valueOf(++version));
    if (!meta.has("uid")) meta.put("uid", "uid-" + version);
    objects.put(path, object);
    tell(change, path, object);
  }

  private void tell(String change, String path, ObjectNode object) {
    if (!path.contains("/pods/")) return;
    for (var watch : watches) watch.add(event(change, object));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    String method = exchange.getRequestMethod();
    requests.add(method + " " + path + "?" + query);
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (query.contains("watch=true")) watch(exchange, query);
    else if (method.equals("GET") && path.endsWith("/pods")) send(exchange, 200, podList());
    else change(exchange, method, path, body);
  }

  private synchronized ObjectNode podList() {
    ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "PodList");
    list.putObject("metadata").put("resourceVersion", String.valueOf(version));
    ArrayNode items = list.putArray("items");
    objects.forEach((path, object) -> {
      if (path.contains("/pods/")) items.add(object.deepCopy());
    });
    return list;
  }

  /// What changed since the version that the client has, then what changes.
  private void watch(HttpExchange exchange, String query) throws IOException {
    var mine = new LinkedBlockingQueue<String>();
    if (!follow(mine, Long.parseLong(query.replaceAll(".*resourceVersion=(\\d+).*", "$1")))) {
      send(exchange, 410, failure(410, "Expired"));
      return;
    }
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      out.flush();
      while (true) {
        out.write(mine.take().getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the server goes away
    } finally {
      watches.remove(mine);
    }
  }

  private synchronized boolean follow(LinkedBlockingQueue<String> watch, long since) {
    if (since < oldest) return false;
    objects.forEach((path, object) -> {
      if (path.contains("/pods/") && object.at("/metadata/resourceVersion").asLong() > since)
        watch.add(event("MODIFIED", object));
    });
    watches.add(watch);
    return true;
  }

  private static String event(String change, ObjectNode object) {
    ObjectNode event = JSON.createObjectNode().put("type", change);
    event.set("object", object.deepCopy());
    return event + "\n";
  }

  private synchronized void change(HttpExchange exchange, String method, String path, byte[] body)
      throws IOException {
    ObjectNode object = objects.get(path.replaceAll("/status$", ""));
    switch (method) {
      case "POST" -> {
        ObjectNode made = (ObjectNode) JSON.readTree(body);
        store(path + "/" + made.at("/metadata/name").asText(), made, "ADDED");
        send(exchange, 201, made);
      }
      case "PUT" -> {
        ObjectNode made = (ObjectNode) JSON.readTree(body);
        if (object == null) send(exchange, 404, failure(404, "NotFound"));
        else if (!made.at("/metadata/resourceVersion")
            .equals(object.at("/metadata/resourceVersion")))
          send(exchange, 409, failure(409, "Conflict"));
        else {
          store(path, made, "MODIFIED");
          send(exchange, 200, made);
        }
      }
      case "PATCH" -> {
        if (object == null) send(exchange, 404, failure(404, "NotFound"));
        else {
          JsonNode patch = JSON.readTree(body);
          JsonNode uid = patch.at("/metadata/uid");
          if (!uid.isMissingNode() && !uid.equals(object.at("/metadata/uid"))) {
            send(exchange, 409, failure(409, "Conflict"));
            return;
          }
          merge(object, patch);
          store(path.replaceAll("/status$", ""), object, "MODIFIED");
          send(exchange, 200, object);
        }
      }
      case "DELETE" -> {
        if (object == null) send(exchange, 404, failure(404, "NotFound"));
        else {
          delete(path);
          send(exchange, 200, object);
        }
      }
      default -> {
        if (object == null) send(exchange, 404, failure(404, "NotFound"));
        else send(exchange, 200, object);
      }
    }
  }

  private static ObjectNode failure(int code, String reason) {
    return JSON.createObjectNode()
        .put("apiVersion", "v1")
        .put("kind", "Status")
        .put("status", "Failure")
        .put("message", "scripted")
        .put("reason", reason)
        .put("code", code);
  }

  /// A merge patch (RFC 7386), but for conditions, which are merged by their type.
  private static void merge(ObjectNode into, JsonNode patch) {
    patch
        .properties()
        .forEach(field -> {
          String name = field.getKey();
          JsonNode value = field.getValue();
          if (value.isNull()) into.remove(name);
          else if (name.equals("conditions") && into.path(name).isArray())
            mergeByType((ArrayNode) into.get(name), value);
          else if (value.isObject()) merge(into.withObject("/" + name.replace("/", "~1")), value);
          else into.set(name, value);
        });
  }

  private static void mergeByType(ArrayNode into, JsonNode patch) {
    for (JsonNode condition : patch) {
      ObjectNode found =
          (ObjectNode)
              Stream.iterate(0, i -> i < into.size(), i -> i + 1)
                  .map(into::get)
                  .filter(it -> it.path("type").equals(condition.path("type")))
                  .findFirst()
                  .orElse(null);
      if (found == null) found = into.addObject();
      merge(found, condition);
    }
  }

  private static void send(HttpExchange exchange, int status, JsonNode body) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    goAway();
  }
}
