package dev.patchbay.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.proto.deviceplugin.v1beta1.Device;
import dev.patchbay.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/// A plugin with thousands of devices.
final class LongAnswerTest {
  private static final int FRAME = 16 * 1024;

  @AutoClose private final SocketHome home = SocketHome.open();

  /// The server reads nothing after the request, so that no window opens on its way.
  @Test
  void isTakenAtOneGo() throws Exception {
    ListAndWatchResponse list = list();
    assertThat(list.getSerializedSize()).isGreaterThan(500_000);
    try (ServerSocketChannel server = home.listen();
        UnixChannel channel = home.transport().connect(home.socket())) {
      CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> answer(server, list.toByteArray()));

      assertThat(
              DevicePluginGrpc.newBlockingStub(channel.grpc())
                  .listAndWatch(Empty.getDefaultInstance()))
          .toIterable()
          .containsExactly(list);

      served.join();
    }
  }

  private static ListAndWatchResponse list() {
    var list = ListAndWatchResponse.newBuilder();
    for (int i = 0; i < 20_000; i++)
      list.addDevices(Device.newBuilder().setID("device-%06d".formatted(i)).setHealth("Healthy"));
    return list.build();
  }

  private static void answer(ServerSocketChannel server, byte[] list) {
    try (RawPeer client = RawPeer.accepted(server)) {
      assertThat(client.next()).isEqualTo("SETTINGS");
      assertThat(client.next()).isEqualTo("WINDOW_UPDATE 0 " + (1024 * 1024 - 65_535));
      client.settings();
      var _ = client.nextBut("SETTINGS", "HEADERS");
      client.frame(1, 4, 1, RawPeer.answer());
      byte[] message = RawPeer.message(list);
      for (int at = 0; at < message.length; at += FRAME)
        client.frame(
            0, 0, 1, Arrays.copyOfRange(message, at, Math.min(at + FRAME, message.length)));
      client.frame(1, 5, 1, RawPeer.ended());
    } catch (IOException e) {
      throw new AssertionError("the client did not take it", e);
    }
  }
}
