package dev.patchbay.kubelet.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointFormatTest {
  /// A file that a real kubelet wrote, found in public.
  private static final String REAL =
      """
      {"Data":{"PodDeviceEntries":[{"PodUID":"bf52b2cd-b611-4e79-86b1-280b283185c3",\
      "ContainerName":"check","ResourceName":"nvidia.com/gpu","DeviceIDs":{"-1":["tegra"]},\
      "AllocResp":"Ch8KFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSBXRlZ3Jh"}],\
      "RegisteredDevices":{"nvidia.com/gpu":["tegra"]}},"Checksum":3660592824}\
      """;

  /// Checksums that the kubelet's own code gives.
  static Stream<Arguments> vectors() {
    return Stream.of(
        argumentSet("a real file", REAL),
        argumentSet(
            "nothing held, nothing known",
            """
            {"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":3467439661}\
            """),
        argumentSet(
            "an empty list of entries",
            """
            {"Data":{"PodDeviceEntries":[],"RegisteredDevices":{}},"Checksum":2932075448}\
            """),
        argumentSet(
            "two healthy devices",
            """
            {"Data":{"PodDeviceEntries":null,"RegisteredDevices":\
            {"example.com/resource":["Dev-1","Dev-2"]}},"Checksum":468646588}\
            """),
        argumentSet(
            "no healthy device",
            """
            {"Data":{"PodDeviceEntries":null,"RegisteredDevices":{"example.com/resource":[]}},\
            "Checksum":625530563}\
            """),
        argumentSet(
            "nulls",
            """
            {"Data":{"PodDeviceEntries":null,"RegisteredDevices":null},"Checksum":1944006890}\
            """),
        argumentSet(
            "nulls and empty things inside",
            """
            {"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c","ResourceName":"r/x",\
            "DeviceIDs":{"-1":null,"10":["b","a"],"2":[]},"AllocResp":""},{"PodUID":"é\\n\\"",\
            "ContainerName":"","ResourceName":"","DeviceIDs":null,"AllocResp":null}],\
            "RegisteredDevices":{"a/x":null,"b/x":["1"]}},"Checksum":4019474799}\
            """));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void readsAndWritesTheKubeletsOwnBytes(String file) throws IOException {
    assertThat(text(CheckpointFormat.read(file))).isEqualTo(file);
  }

  @Test
  void hashesTheTextThatGoPrints() throws IOException {
    assertThat(CheckpointFormat.hashed(CheckpointFormat.read(REAL)))
        .isEqualTo(
            "(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)"
                + "[{PodUID:(string)bf52b2cd-b611-4e79-86b1-280b283185c3"
                + " ContainerName:(string)check ResourceName:(string)nvidia.com/gpu"
                + " DeviceIDs:(checkpoint.DevicesPerNUMA)map[-1:[tegra]] AllocResp:([]uint8)"
                + "[10 31 10 22 78 86 73 68 73 65 95 86 73 83 73 66 76 69 95 68 69 86 73 67 69 83"
                + " 18 5 116 101 103 114 97]}]"
                + " RegisteredDevices:(map[string][]string)map[nvidia.com/gpu:[tegra]]}");
  }

  @Test
  void knowsWhatTheRealFileSays() throws IOException {
    assertThat(CheckpointFormat.read(REAL).entries())
        .containsExactly(
            new Checkpoint.Entry(
                "bf52b2cd-b611-4e79-86b1-280b283185c3",
                "check",
                "nvidia.com/gpu",
                new TreeMap<>(Map.of(-1L, List.of("tegra"))),
                "Ch8KFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSBXRlZ3Jh"));
  }

  /// Each has the checksum of the file that it stands for.
  @ParameterizedTest
  @ValueSource(
      strings = {
        " { \"Checksum\" : 3467439661,\n\t\"Data\" : { \"RegisteredDevices\" : {}, "
            + "\"PodDeviceEntries\" : null } }\n",
        "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{},\"New\":[1]},"
            + "\"Checksum\":3467439661,\"Newer\":{}}",
        "{\"Data\":{\"PodDeviceEntries\":null},\"Checksum\":3467439661}",
        "{\"Data\":{\"RegisteredDevices\":{}},\"Checksum\":2932075448}",
        "{\"Data\":{},\"Checksum\":2932075448}"
      })
  void readsWhatTheKubeletReads(String file) throws IOException {
    assertThat(CheckpointFormat.read(file).registered()).isEqualTo(new TreeMap<>());
  }

  static Stream<Arguments> unusable() {
    return Stream.of(
        argumentSet("an empty file", "", "there is no object \"Data\""),
        argumentSet("a file of zeros", "\0\0\0\0", "not JSON: "),
        argumentSet("half a file", REAL.substring(0, 200), "not JSON: "),
        argumentSet("more than one file", REAL + REAL, "not JSON: "),
        argumentSet("deep nesting", "[".repeat(100_000), "not JSON: "),
        argumentSet("another object", "{\"a\":1}", "there is no object \"Data\""),
        argumentSet("no checksum", "{\"Data\":{}}", "there is no number \"Checksum\""),
        argumentSet(
            "a checksum of text",
            "{\"Data\":{},\"Checksum\":\"1\"}",
            "there is no number \"Checksum\""),
        argumentSet(
            "another checksum",
            REAL.replace("3660592824", "3660592825"),
            "checkpoint is corrupted: its checksum is 3660592825, of its content 3660592824"),
        argumentSet("another device", REAL.replace("tegra", "tegrb"), "checkpoint is corrupted: "),
        argumentSet(
            "version 1 of the format",
            REAL.replace("{\"-1\":[\"tegra\"]}", "[\"tegra\"]"),
            "\"DeviceIDs\" is a list, as kubelets before 1.20 wrote it"),
        argumentSet(
            "a node that is no number",
            REAL.replace("\"-1\"", "\"one\""),
            "the NUMA node \"one\" is not a number"),
        argumentSet(
            "an answer that is not base64",
            REAL.replace("Ch8K", "Ch-K"),
            "\"AllocResp\" is not base64: "),
        argumentSet(
            "an id that is a number",
            REAL.replace("{\"-1\":[\"tegra\"]}", "{\"-1\":[5]}"),
            "\"DeviceIDs\" holds an id that is not a text: 5"),
        argumentSet(
            "a container that is a number",
            REAL.replace("\"check\"", "7"),
            "\"ContainerName\" is not a text: 7"),
        argumentSet(
            "entries that are an object",
            "{\"Data\":{\"PodDeviceEntries\":{}},\"Checksum\":1}",
            "\"PodDeviceEntries\" is not a list"),
        argumentSet(
            "resources that are a list",
            "{\"Data\":{\"RegisteredDevices\":[]},\"Checksum\":1}",
            "\"RegisteredDevices\" is not an object"));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void saysWhatIsWrongWithAFile(String file, String why) {
    assertThatThrownBy(() -> CheckpointFormat.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(why);
  }

  private static String text(Checkpoint checkpoint) {
    return new String(CheckpointFormat.write(checkpoint), StandardCharsets.UTF_8);
  }
}
