package dev.patchbay.kubelet.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.patchbay.kubelet.memory.MemoryDecision;
import dev.patchbay.kubelet.memory.MemoryPolicy;
import dev.patchbay.kubelet.memory.MemorySettings;
import dev.patchbay.kubelet.memory.MemoryStateFile;
import dev.patchbay.kubelet.memory.PinnedMemory;
import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.kubelet.pods.PodSpec.ContainerSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Plays scenarios again that the kubelet's own managers were taken through, and compares every
/// answer and both state files after every step. Another recording is played with the system
/// property `patchbay.recorded`.
class RecordedScenariosTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  static Stream<RecordedScenario> recorded() throws IOException {
    String other = System.getProperty("patchbay.recorded");
    return other == null
        ? Stream.concat(
            scenarios(resource("recorded-1.36.3.jsonl.gz")),
            scenarios(resource("recorded-options-1.36.3.jsonl.gz")))
        : scenarios(Files.newInputStream(Path.of(other)));
  }

  private static InputStream resource(String name) throws IOException {
    return new GZIPInputStream(
        Objects.requireNonNull(RecordedScenariosTest.class.getResourceAsStream(name)));
  }

  private static Stream<RecordedScenario> scenarios(InputStream stream) {
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
        .lines()
        .map(RecordedScenariosTest::scenario);
  }

  private static RecordedScenario scenario(String line) {
    try {
      return new RecordedScenario(JSON.readTree(line));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void answersAsTheKubeletDid(RecordedScenario scenario) throws IOException {
    String startError = scenario.line().path("startErr").asText();
    if (!startError.isEmpty()) {
      assertThat(startErrorOf(scenario)).isEqualTo(startError);
      return;
    }
    var replay = new Replay(scenario, directory);
    assertThat(replay.cpus.allocatable())
        .hasToString(scenario.line().path("allocatableCpus").asText());
    assertThat(replay.allocatableMemory()).isEqualTo(recordedMemory(scenario));
    int number = 0;
    for (JsonNode step : scenario.line().path("steps"))
      replay.check(step, "step " + number++ + " " + step.path("op") + " of " + scenario);
  }

  private static String startErrorOf(RecordedScenario scenario) {
    try {
      CpuSettings settings = scenario.cpuSettings();
      settings.options().check(Map.of(), scenario.machine(), scenario.topologyPolicy());
      ExclusiveCpus.start(settings, scenario.machine());
      return "none";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static List<String> recordedMemory(RecordedScenario scenario) {
    List<String> blocks = new ArrayList<>();
    scenario.line().path("allocatableMemory").forEach(block -> blocks.add(block.asText()));
    return blocks;
  }

  private static final class Replay {
    private final RecordedScenario scenario;
    private final Map<String, PodSpec> pods;
    private final CpuStateFile cpuFile;
    private final MemoryStateFile memoryFile;
    private final Path directory;
    private ExclusiveCpus cpus;
    private PinnedMemory memory;
    private ExclusiveCpus writtenCpus;
    private PinnedMemory writtenMemory;
    private String recordedCpus = "";
    private String recordedMemory = "";

    private Replay(RecordedScenario scenario, Path directory) {
      this.scenario = scenario;
      this.pods = scenario.pods();
      this.directory = directory;
      this.cpuFile = new CpuStateFile(directory);
      this.memoryFile = new MemoryStateFile(directory);
      this.cpus = freshCpus();
      this.memory = freshMemory();
      this.writtenCpus = cpus;
      this.writtenMemory = memory;
    }

    private ExclusiveCpus freshCpus() {
      return ExclusiveCpus.start(scenario.cpuSettings(), scenario.machine());
    }

    private PinnedMemory freshMemory() {
      return PinnedMemory.start(
          new MemorySettings(MemoryPolicy.STATIC, scenario.reservedMemory()), scenario.machine());
    }

    private List<String> allocatableMemory() {
      return memory.allocatable().stream()
          .map(block -> block.type() + " " + block.sizeBytes() + " " + block.nodes().nodes())
          .sorted()
          .toList();
    }

    private void check(JsonNode step, String where) throws IOException {
      String op = step.path("op").asText();
      if (op.equals("restart")) {
        String error = step.path("cpuErr").asText();
        if (error.endsWith("default cpuset cannot be empty")) {
          // With strictly reserved CPUs, all others being owned: this kubelet goes on.
          restart();
          assertThat(cpus.state().shared()).as(where).isEqualTo(CpuSet.EMPTY);
          return;
        }
        if (!error.isEmpty()) {
          assertThatThrownBy(this::restart).as(where).hasMessage(error);
          return;
        }
        restart();
        recordedCpus = step.path("cpuFile").asText(recordedCpus);
        recordedMemory = step.path("memFile").asText(recordedMemory);
        return;
      } else {
        PodSpec pod = Objects.requireNonNull(pods.get(step.path("pod").asText()));
        switch (op) {
          case "podHints" -> {
            assertThat(cpus.podHints(pod)).as(where).isEqualTo(hints(step, "cpuHints"));
            assertThat(memory.podHints(pod)).as(where).isEqualTo(hints(step, "memHints"));
          }
          case "hints" -> {
            ContainerSpec container = container(pod, step);
            assertThat(cpus.hints(pod, container)).as(where).isEqualTo(hints(step, "cpuHints"));
            assertThat(memory.hints(pod, container)).as(where).isEqualTo(hints(step, "memHints"));
          }
          case "alloc" -> allocate(pod, container(pod, step), step, where);
          case "release" -> {
            cpus = cpus.release(pod.uid());
            memory = memory.release(pod.uid());
          }
          default -> throw new IllegalArgumentException("unknown step " + step);
        }
      }
      compareFiles(step, where);
    }

    private static Object hints(JsonNode step, String key) {
      return RecordedScenario.hints(step.path(key));
    }

    private static ContainerSpec container(PodSpec pod, JsonNode step) {
      return pod.allContainers().stream()
          .filter(each -> each.name().equals(step.path("container").asText()))
          .findFirst()
          .orElseThrow();
    }

    private void allocate(PodSpec pod, ContainerSpec container, JsonNode step, String where) {
      var affinity = RecordedScenario.hint(step.path("affinity"));
      String cpuError = "";
      switch (cpus.reserve(pod, container, affinity)) {
        case CpuDecision.Granted granted -> cpus = granted.next();
        case CpuDecision.Refused refused -> cpuError = refused.text();
      }
      String memoryError = "";
      switch (memory.reserve(pod, container, affinity)) {
        case MemoryDecision.Granted granted -> memory = granted.next();
        case MemoryDecision.Refused refused -> memoryError = refused.text();
      }
      assertThat(cpuError).as(where).isEqualTo(step.path("cpuErr").asText());
      assertThat(memoryError).as(where).isEqualTo(step.path("memErr").asText());
    }

    /// As a new kubelet, from the files that the real one left.
    private void restart() throws IOException {
      if (!recordedCpus.isEmpty()) {
        Files.writeString(directory.resolve(CpuStateFile.NAME), recordedCpus);
        Files.writeString(directory.resolve(MemoryStateFile.NAME), recordedMemory);
      }
      cpus = cpuFile.resume(freshCpus());
      memory = memoryFile.resume(freshMemory());
      writtenCpus = cpus;
      writtenMemory = memory;
    }

    private void compareFiles(JsonNode step, String where) throws IOException {
      if (!step.has("cpuFile") && !step.has("memFile")) {
        assertThat(cpus).as(where).isSameAs(writtenCpus);
        assertThat(memory).as(where).isSameAs(writtenMemory);
        return;
      }
      recordedCpus = step.path("cpuFile").asText(recordedCpus);
      recordedMemory = step.path("memFile").asText(recordedMemory);
      writtenCpus = cpus;
      writtenMemory = memory;
      cpuFile.write(cpus.state());
      memoryFile.write(memory.state());
      assertThat(directory.resolve(CpuStateFile.NAME)).as(where).hasContent(recordedCpus);
      String written = Files.readString(directory.resolve(MemoryStateFile.NAME));
      if (recordedMemory.contains("hugepages-"))
        assertThat(ordered(written)).as(where).isEqualTo(ordered(recordedMemory));
      else assertThat(written).as(where).isEqualTo(recordedMemory);
    }

    /// The kubelet writes a container's blocks in any order, and its checksum says which.
    private static JsonNode ordered(String text) throws IOException {
      var root = (ObjectNode) JSON.readTree(text);
      root.remove("checksum");
      for (JsonNode pod : root.path("entries"))
        for (Map.Entry<String, JsonNode> container : pod.properties()) {
          List<JsonNode> blocks = new ArrayList<>();
          container.getValue().forEach(blocks::add);
          blocks.sort(
              (one, other) -> one.path("type").asText().compareTo(other.path("type").asText()));
          ((ObjectNode) pod).putArray(container.getKey()).addAll(blocks);
        }
      return root;
    }
  }
}
