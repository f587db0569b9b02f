package dev.patchbay.kubelet;

import static dev.patchbay.kubelet.Pods.GPU;
import static dev.patchbay.kubelet.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.kubelet.pods.PodSpec;
import dev.patchbay.model.ContainerEdits;
import dev.patchbay.proto.deviceplugin.v1beta1.AllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.CDIDevice;
import dev.patchbay.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import dev.patchbay.proto.deviceplugin.v1beta1.DeviceSpec;
import dev.patchbay.proto.deviceplugin.v1beta1.Mount;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Answers to Allocate with anything in them, and damaged ones: each is taken as it is, and then
/// outlives the kubelet unchanged, or refused; nothing breaks.
class HostileAnswersTest {
  private static final int RUNS = 4;
  private static final int ANSWERS = 60;

  @AutoClose private final LogCapture log = LogCapture.of("dev.patchbay");
  @AutoClose private final KubeletSide kubelet = KubeletSide.started();
  @AutoClose private final RawPlugin raw = new RawPlugin(kubelet.directory());

  /// `-Dpatchbay.seed=N` runs that seed alone.
  static IntStream seeds() {
    Integer one = Integer.getInteger("patchbay.seed");
    return one == null ? IntStream.range(0, RUNS) : IntStream.of(one);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void anAnswerIsTakenAsItIsOrRefused(int seed) throws IOException {
    var random = new Random(seed);
    serve();
    Map<PodSpec, Optional<ContainerEdits>> admitted = new LinkedHashMap<>();
    for (int i = 0; i < ANSWERS; i++) {
      PodSpec pod = pod("p" + i, 1);
      byte[] answer = answer(random).toByteArray();
      raw.allocation = random.nextInt(3) == 0 ? damaged(answer, random) : answer;
      switch (kubelet.manager().admit(pod)) {
        case Admission.Admitted _ -> admitted.put(pod, kubelet.manager().runOptions(pod, "main"));
        case Admission.Refused(String reason, String _) ->
            assertThat(reason).as("seed %d, pod %d", seed, i).isEqualTo("UnexpectedAdmissionError");
      }
    }

    assertThat(admitted).as("some are taken, some are not").hasSizeBetween(1, ANSWERS - 1);
    Kubelet restarted = kubelet.restart();

    assertThat(restarted.held()).hasSameSizeAs(admitted.keySet());
    for (Map.Entry<PodSpec, Optional<ContainerEdits>> each : admitted.entrySet())
      assertThat(restarted.runOptions(each.getKey(), "main"))
          .as("seed %d, %s", seed, each.getKey().name())
          .isEqualTo(each.getValue());
    assertThat(log.lines()).noneMatch(line -> line.startsWith("SEVERE"));
  }

  private void serve() {
    raw.serveAs(GPU);
    var list = dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse.newBuilder();
    for (int i = 0; i < ANSWERS; i++) list.addDevices(ScriptedPlugin.device("d" + i));
    raw.list(list.build().toByteArray());
    kubelet.awaitAllocatable(GPU, ANSWERS);
  }

  private static byte[] damaged(byte[] answer, Random random) {
    byte[] bytes = answer.clone();
    for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--)
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    return bytes;
  }

  private static AllocateResponse answer(Random random) {
    var response = AllocateResponse.newBuilder();
    for (int i = random.nextInt(8) == 0 ? random.nextInt(3) : 1; i > 0; i--)
      response.addContainerResponses(container(random));
    return response.build();
  }

  private static ContainerAllocateResponse container(Random random) {
    var container = ContainerAllocateResponse.newBuilder();
    for (int i = random.nextInt(4); i > 0; i--) container.putEnvs(text(random), text(random));
    for (int i = random.nextInt(4); i > 0; i--)
      container.putAnnotations(text(random), text(random));
    for (int i = random.nextInt(3); i > 0; i--)
      container.addDevices(
          DeviceSpec.newBuilder()
              .setHostPath(path(random))
              .setContainerPath(path(random))
              .setPermissions(any(random, List.of("rw", "r", "mrw", "rrr", "x", ""))));
    for (int i = random.nextInt(3); i > 0; i--)
      container.addMounts(
          Mount.newBuilder()
              .setHostPath(path(random))
              .setContainerPath(path(random))
              .setReadOnly(random.nextBoolean()));
    for (int i = random.nextInt(3); i > 0; i--)
      container.addCdiDevices(CDIDevice.newBuilder().setName(text(random)));
    return container.build();
  }

  private static String path(Random random) {
    return (random.nextInt(12) == 0 ? "" : "/") + text(random);
  }

  private static String text(Random random) {
    return any(
        random,
        List.of(
            "",
            "A",
            "B=C",
            "\0",
            "a\nb",
            "\t \"quoted\" \\",
            "\u20AC\uD83D\uDE00",
            "../../etc",
            "v.example/c=1",
            "x".repeat(random.nextInt(2_000))));
  }

  private static String any(Random random, List<String> texts) {
    return texts.get(random.nextInt(texts.size()));
  }
}
