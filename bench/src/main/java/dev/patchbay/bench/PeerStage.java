package dev.patchbay.bench;

import dev.patchbay.testkit.ListLog.Listed;
import dev.patchbay.testkit.ScriptedKubelet;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// One plugin that runs, with a kubelet and a host of its own in a temporary directory.
final class PeerStage implements AutoCloseable {
  /// The slowest plugins look for a kubelet every ten seconds, and for devices every five.
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Duration END = Duration.ofSeconds(10);

  /// Says so when the plugin's program begins, on standard output, which is its log's from then on.
  private static final String BEGIN = "log=$1; shift; echo begins; exec \"$@\" >\"$log\" 2>&1";

  /// The plugin's directories in the places where it looks for them; nothing of that is seen
  /// outside.
  private static final String NAMESPACE =
      "mount -t tmpfs none /var/lib && mkdir /var/lib/kubelet && mount --bind \"$1\" /var/lib/kubelet"
          + " && mount --bind \"$2\" /run && shift 2 && "
          + BEGIN;

  private final Peer peer;
  private final Set<String> resources;
  private final Path directory;
  private final ScriptedKubelet kubelet;
  private final Process process;
  private final long begun;

  private PeerStage(
      Peer peer,
      Set<String> resources,
      Path directory,
      ScriptedKubelet kubelet,
      Process process,
      long begun) {
    this.peer = peer;
    this.resources = resources;
    this.directory = directory;
    this.kubelet = kubelet;
    this.process = process;
    this.begun = begun;
  }

  /// Starts a kubelet, then the plugin; waits until its program begins.
  static PeerStage open(Peer peer) throws IOException, InterruptedException {
    return open(peer, peer.command(), peer.resources());
  }

  /// The same with 10,000 devices.
  static PeerStage openWithMany(Peer peer) throws IOException, InterruptedException {
    return open(peer, peer.many(), Set.of(Peer.MANY_RESOURCE));
  }

  private static PeerStage open(Peer peer, List<String> command, Set<String> resources)
      throws IOException, InterruptedException {
    // Short, since sockets are bound in it; and where others seldom make files, since plugins that
    // watch a directory are woken by all of them.
    Path directory = Files.createTempDirectory(Path.of("/var/tmp"), "pbp");
    layOut(peer, directory);
    ScriptedKubelet kubelet = ScriptedKubelet.in(directory.resolve("k")).start();
    try {
      var builder = new ProcessBuilder(launcher(peer, directory, command));
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "PATCHBAY_JAVA_OPTS")
          .forEach(builder.environment()::remove);
      Process process = builder.redirectError(directory.resolve("start.log").toFile()).start();
      BufferedReader out = process.inputReader();
      String first = out.readLine();
      long begun = System.nanoTime();
      if (first == null)
        throw new IOException(
            peer.name()
                + " does not begin: "
                + Files.readString(directory.resolve("start.log")).strip());
      return new PeerStage(peer, resources, directory, kubelet, process, begun);
    } catch (IOException e) {
      kubelet.close();
      throw e;
    }
  }

  private static List<String> launcher(Peer peer, Path directory, List<String> command) {
    List<String> words = new ArrayList<>();
    if (peer.needsNamespace()) {
      words.addAll(
          List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", NAMESPACE, "sh"));
      words.add(directory.resolve("k").toString());
      words.add(directory.resolve("run").toString());
    } else {
      words.addAll(List.of("sh", "-c", BEGIN, "sh"));
    }
    words.add(directory.resolve("log").toString());
    for (String word : command) words.add(filled(word, directory));
    return words;
  }

  private static String filled(String word, Path directory) {
    return word.replace("{kubelet}", directory.resolve("k").toString())
        .replace("{host}", directory.resolve("host").toString());
  }

  /// Two devices of each kind, where the plugins look.
  private static void layOut(Peer peer, Path directory) throws IOException, InterruptedException {
    Path host = Files.createDirectory(directory.resolve("host"));
    for (int i = 0; i < 8; i++) {
      Path devices = Files.createDirectories(host.resolve("srv/r" + i));
      Files.createFile(devices.resolve("a"));
      Files.createFile(devices.resolve("b"));
    }
    Files.createFile(host.resolve("srv/many"));
    Files.writeString(host.resolve("agent.yaml"), peer.config());
    Files.writeString(host.resolve("many.yaml"), Peer.manyConfig());
    Path run = Files.createDirectory(directory.resolve("run"));
    if (!isRoot()) return;
    Files.createDirectories(host.resolve("dev/net"));
    node(host.resolve("dev/kvm"), 10, 232);
    node(host.resolve("dev/fuse"), 10, 229);
    node(host.resolve("dev/net/tun"), 10, 200);
    node(host.resolve("dev/vhost-net"), 10, 238);
    node(host.resolve("dev/vhost-vsock"), 10, 241);
    node(run.resolve("toy0"), 1, 3);
    node(run.resolve("toy1"), 1, 3);
  }

  static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static void node(Path path, int major, int minor)
      throws IOException, InterruptedException {
    run(List.of("mknod", path.toString(), "c", "" + major, "" + minor));
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0)
      throw new IOException(String.join(" ", command) + ": " + said.strip());
  }

  Peer peer() {
    return peer;
  }

  ScriptedKubelet kubelet() {
    return kubelet;
  }

  /// How long its registration took, from the program's begin to the arrival of the last list.
  Duration awaitFirstLists() throws IOException, InterruptedException {
    return Duration.ofNanos(awaitAllListed(0) - begun);
  }

  /// Waits until the kubelet has a list of each resource on a stream newer than this one.
  ///
  /// @return when the last of them arrived
  long awaitAllListed(int stream) throws IOException, InterruptedException {
    long last = Long.MIN_VALUE;
    for (String resource : resources)
      last = Math.max(last, await(resource, list -> list.stream() > stream).at());
    return last;
  }

  Listed await(String resource, Predicate<Listed> wanted) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      var list = kubelet.lists().await(resource, wanted, LOOK);
      if (list.isPresent()) return list.get();
      checkAlive();
    }
    throw new IOException(
        "no wanted list of %s within %s; the log ends:%n%s"
            .formatted(resource, PATIENCE, endOfLog()));
  }

  private void checkAlive() throws IOException {
    if (!process.isAlive())
      throw new IOException(
          "it ended with status %d; the log ends:%n%s".formatted(process.exitValue(), endOfLog()));
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(directory.resolve("log"));
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
  }

  /// One resource that has devices.
  String resource() throws IOException {
    checkAlive();
    for (String resource : resources.stream().sorted().toList())
      if (!kubelet.lists().newest(resource).isEmpty()) return resource;
    throw new IOException("it lists no device");
  }

  /// The socket on which that resource was registered last.
  Path socketOf(String resource) {
    return kubelet.devicePluginDir().resolve(kubelet.registrations(resource).getLast().endpoint());
  }

  /// When the newest list of any resource arrived after this moment.
  long awaitListAfter(long moment) throws IOException, InterruptedException {
    long deadline = moment + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      for (String resource : resources) {
        var newer =
            kubelet.lists().await(resource, list -> list.at() > moment, Duration.ofMillis(2));
        if (newer.isPresent()) return newer.get().at();
      }
      checkAlive();
    }
    throw new IOException("no list within %s; the log ends:%n%s".formatted(PATIENCE, endOfLog()));
  }

  /// Runs a program where the plugin runs.
  void execute(List<String> command, int number) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    if (peer.needsNamespace())
      words.addAll(List.of("nsenter", "--mount", "--target", Long.toString(process.pid())));
    for (String word : command)
      words.add(filled(word, directory).replace("{number}", Integer.toString(number)));
    run(words);
  }

  /// Resident memory of all its processes, in bytes.
  long resident() throws IOException {
    long sum = 0;
    for (long pid : pids()) sum += ProcessFacts.of(pid).residentBytes();
    return sum;
  }

  /// CPU time of all its threads that run still.
  Duration cpu() throws IOException {
    Duration sum = Duration.ZERO;
    for (long pid : pids()) sum = sum.plus(ProcessFacts.cpuOfThreads(pid));
    return sum;
  }

  private List<Long> pids() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .map(ProcessHandle::pid)
        .toList();
  }

  /// Ends both and removes all files.
  @Override
  public void close() throws IOException {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroy);
    try {
      if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    all.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroyForcibly);
    kubelet.close();
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) Files.deleteIfExists(path);
    }
  }
}
