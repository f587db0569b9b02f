package dev.patchbay.node;

import dev.patchbay.kubelet.pods.PodManifest;
import dev.patchbay.kubelet.pods.PodManifests;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.node.NodeState.PodState;
import dev.patchbay.watch.PathWatch;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The pods that a directory of manifests asks for. A file that becomes invalid, or is read while
/// it is being written, keeps the pods that it asked for before.
final class ManifestFolder implements PodSource {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.node");

  private static final Duration LONG = Duration.ofHours(1);

  private final Path directory;
  private final PathWatch watch;
  private Set<Path> watched = Set.of();
  private NavigableMap<Path, PodManifest> last = new TreeMap<>();
  private Set<String> said = new TreeSet<>();

  ManifestFolder(Path directory) {
    this.directory = directory;
    this.watch = PathWatch.open(new PathWatch.Targets(Set.of(directory), Set.of()));
  }

  @Override
  public void start() {}

  /// Reads the directory. One that is missing asks for nothing. What is read is watched before, so
  /// that no change falls between.
  @Override
  public Wanted read() {
    while (true) {
      Wanted wanted = readOnce();
      Set<Path> files = Set.copyOf(last.keySet());
      if (files.equals(watched)) return wanted;
      watched = files;
      watch.retarget(new PathWatch.Targets(Set.of(directory), watched));
    }
  }

  @Override
  public void await() throws InterruptedException {
    watch.await(LONG);
  }

  @Override
  public void happened(PodSpec pod, PodEvent event) {}

  @Override
  public void gone(PodSpec pod, PodState last) {}

  @Override
  public void close() {
    watch.close();
  }

  private Wanted readOnce() {
    List<String> problems = new ArrayList<>();
    NavigableMap<Path, PodManifest> manifests = new TreeMap<>();
    try {
      for (Path file : files()) manifests.put(file, read(file, problems));
    } catch (IOException e) {
      problems.add(directory + ": cannot be listed, its pods stay as they are: " + e.getMessage());
      manifests.putAll(last);
    }
    last = manifests;
    Wanted wanted = new Wanted(pods(manifests, problems), problems);
    say(wanted, manifests);
    return wanted;
  }

  private Set<Path> files() throws IOException {
    Set<Path> files = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[!.]*")) {
      for (Path entry : entries) if (!Files.isDirectory(entry)) files.add(entry);
    } catch (NoSuchFileException e) {
      return Set.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return files;
  }

  private PodManifest read(Path file, List<String> problems) {
    PodManifest before = last.getOrDefault(file, new PodManifest(List.of(), List.of(), List.of()));
    PodManifest manifest;
    try {
      manifest = PodManifests.read(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      return new PodManifest(List.of(), List.of(), List.of()); // removed since it was listed
    } catch (CharacterCodingException e) {
      problems.add(file + ": is not UTF-8");
      return before;
    } catch (IOException e) {
      problems.add(file + ": cannot be read: " + e.getMessage());
      return before;
    }
    manifest.problems().forEach(problem -> problems.add(problem.toString()));
    return manifest.problems().isEmpty() ? manifest : keeping(before, manifest);
  }

  /// The good pods of a file with problems, and those of before that it does not name.
  private static PodManifest keeping(PodManifest before, PodManifest now) {
    SequencedMap<String, PodSpec> pods = new LinkedHashMap<>();
    now.pods().forEach(pod -> pods.put(key(pod), pod));
    before.pods().forEach(pod -> pods.putIfAbsent(key(pod), pod));
    return new PodManifest(List.copyOf(pods.values()), now.problems(), now.notices());
  }

  private static SequencedMap<String, Asked> pods(
      NavigableMap<Path, PodManifest> manifests, List<String> problems) {
    SequencedMap<String, Asked> pods = new LinkedHashMap<>();
    Map<String, Path> uids = new HashMap<>();
    manifests.forEach((file, manifest) -> {
      for (PodSpec pod : manifest.pods()) {
        Asked twin = pods.get(key(pod));
        Path sameUid = uids.putIfAbsent(pod.uid(), file);
        if (twin != null)
          problems.add(file + ": pod " + key(pod) + " is that of " + twin.origin() + " already");
        else if (sameUid != null)
          problems.add(file + ": uid " + pod.uid() + " is that of a pod of " + sameUid);
        else pods.put(key(pod), new Asked(pod, file.toString(), new Wish.RunWhenItFits()));
      }
    });
    return pods;
  }

  /// Problems and notices are logged when they are new.
  private void say(Wanted wanted, NavigableMap<Path, PodManifest> manifests) {
    Set<String> now = new TreeSet<>(wanted.problems());
    for (String problem : now)
      if (!said.contains(problem))
        LOG.log(System.Logger.Level.ERROR, "manifest refused problem=\"{0}\"", problem);
    for (PodManifest manifest : manifests.values())
      for (PodManifest.Problem notice : manifest.notices())
        if (now.add(notice.toString()) && !said.contains(notice.toString()))
          LOG.log(System.Logger.Level.WARNING, "manifest not followed in full at=\"{0}\"", notice);
    said = now;
  }

  private static String key(PodSpec pod) {
    return pod.namespace() + "/" + pod.name();
  }
}
