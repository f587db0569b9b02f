package dev.patchbay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who is compared with whom, and how that is told.
final class PeerTest {
  @TempDir private Path directory = Path.of("/nonexistent");

  @Test
  void aFolderOfPeersIsAPlugin() throws IOException {
    Path folder = folder("generic", "#!/bin/sh\n", "squat.ai/toy\n\n");
    program(folder.resolve("appear"), "#!/bin/sh\n");

    List<Peer> peers = Peer.in(directory);

    assertThat(peers)
        .singleElement()
        .satisfies(peer -> {
          assertThat(peer.name()).isEqualTo("generic");
          assertThat(peer.resources()).containsExactly("squat.ai/toy");
          assertThat(peer.needsNamespace()).isTrue();
          assertThat(peer.appear()).isPresent();
          assertThat(peer.vanish()).isEmpty();
          assertThat(peer.bytesOnDisk()).isEqualTo(10 + 14 + 10);
        });
  }

  @Test
  void aFolderWithoutItsFilesIsNamed() throws IOException {
    Files.createDirectory(directory.resolve("empty"));

    assertThatThrownBy(() -> Peer.in(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("run and resources")
        .hasMessageContaining("empty");
  }

  @Test
  void aDirectoryWithoutFoldersIsNoSetOfPeers() {
    assertThatThrownBy(() -> Peer.in(directory)).hasMessageContaining("no folder");
  }

  @Test
  void oursAndTheSampleNeedNoNamespace() {
    assertThat(Peer.oursWithOneFamily(directory).needsNamespace()).isFalse();
    assertThat(Peer.oursWithAllFamilies(directory).resources())
        .hasSize(13)
        .contains("bench.example/r7", "devices.kubevirt.io/kvm");
    assertThat(Peer.sample(directory.resolve("sample-plugin")).needsNamespace()).isFalse();
  }

  @Test
  void readsWhatTheGoClientPrints() throws IOException {
    var times =
        GoClient.parse("{\"calls\":10000,\"p50_us\":161.2,\"p99_us\":471,\"max_us\":2330.5}\n");

    assertThat(times)
        .isEqualTo(
            new GoClient.Times(
                Duration.ofNanos(161_200), Duration.ofNanos(471_000), Duration.ofNanos(2_330_500)));
    assertThatThrownBy(() -> GoClient.parse("allocate: no such socket\n"))
        .hasMessageContaining("no such socket");
  }

  @Test
  void theReportHasRatiosToEachAndToTheirSum() throws IOException {
    var ledgers = new LinkedHashMap<Peer, Ledger<PeerMeasure>>();
    ledgers.put(Peer.oursWithOneFamily(directory), ledger(50, 200));
    ledgers.put(Peer.oursWithAllFamilies(directory), ledger(60, 300));
    ledgers.put(Peer.sample(directory), ledger(20, 100));
    folder("generic", "", "a.b/c");
    ledgers.put(Peer.in(directory).getFirst(), ledger(40, 400));
    var result = new PeerRace.Result(ledgers, List.of("generic, kubelet's restart: it ended"));

    String text =
        new PeerReport(LocalDate.EPOCH, Machine.here(), result, Optional.of(40L << 20))
            .asMarkdown();

    assertThat(text)
        .contains("| figure | ours, one family | ours, all families | sample | generic |")
        .contains("| resident memory idle | 50.0 MiB | 60.0 MiB | 20.0 MiB | 40.0 MiB |")
        .contains("| resident memory idle | 2.50 | 1.25 | 3.00 | 1.50 | 1.00 |")
        .contains("| Allocate, p50 | 2.00 | 0.50 | 3.00 | 0.75 |  |")
        .contains("| kubelet.sock back to all registered and listed | – | – | – | – |")
        .contains("OCI archive: 40.0 MiB")
        .contains("- generic, kubelet's restart: it ended");
  }

  private static Ledger<PeerMeasure> ledger(int residentMebibytes, int allocateMicros) {
    var ledger = new Ledger<PeerMeasure>();
    ledger.add(PeerMeasure.RESIDENT_IDLE, (long) residentMebibytes << 20);
    ledger.add(PeerMeasure.ALLOCATE_P50, Duration.ofNanos(allocateMicros * 1_000L));
    return ledger;
  }

  private Path folder(String name, String run, String resources) throws IOException {
    Path folder = Files.createDirectory(directory.resolve(name));
    program(folder.resolve("run"), run);
    Files.writeString(folder.resolve("resources"), resources);
    return folder;
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
