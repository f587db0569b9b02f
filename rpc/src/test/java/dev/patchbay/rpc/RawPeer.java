package dev.patchbay.rpc;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderDecoder;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import dev.patchbay.rpc.http2.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/// A client or a server that says any frame, right or wrong, and shows what is answered.
final class RawPeer implements AutoCloseable {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private final SocketChannel channel;
  private final DataInputStream in;
  private final HeaderDecoder decoder = new HeaderDecoder(1 << 20);

  private RawPeer(SocketChannel channel) {
    this.channel = channel;
    in = new DataInputStream(Channels.newInputStream(channel));
  }

  /// Connects and says nothing.
  static RawPeer silent(Path socket) throws IOException {
    return new RawPeer(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
  }

  /// Connects and greets with these settings: pairs of name and value.
  static RawPeer greeting(Path socket, int... settings) throws IOException {
    RawPeer peer = silent(socket);
    peer.write(preface());
    peer.settings(settings);
    return peer;
  }

  /// Waits for a client, and has read its preface.
  static RawPeer accepted(ServerSocketChannel server) throws IOException {
    RawPeer peer = new RawPeer(server.accept());
    peer.in.skipNBytes(preface().length);
    return peer;
  }

  static byte[] preface() {
    return PREFACE.getBytes(StandardCharsets.US_ASCII);
  }

  void settings(int... settings) throws IOException {
    var payload = ByteBuffer.allocate(settings.length * 3);
    for (int i = 0; i < settings.length; i += 2)
      payload.putShort((short) settings[i]).putInt(settings[i + 1]);
    frame(4, 0, 0, payload.array());
  }

  void write(byte[] bytes) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) channel.write(rest);
  }

  void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    write(bytesOf(type, flags, stream, payload));
  }

  static byte[] bytesOf(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  /// The header block of a call.
  static byte[] call(String method) {
    return HeaderEncoder.encode(
        List.of(
            new Header(":method", "POST"),
            new Header(":scheme", "http"),
            new Header(":path", "/" + method),
            new Header(":authority", "localhost"),
            new Header("content-type", "application/grpc"),
            new Header("te", "trailers")));
  }

  /// The header block that begins an answer.
  static byte[] answer() {
    return HeaderEncoder.encode(
        List.of(new Header(":status", "200"), new Header("content-type", "application/grpc")));
  }

  /// The header block that ends an answer well.
  static byte[] ended() {
    return HeaderEncoder.encode(List.of(new Header("grpc-status", "0")));
  }

  /// A message as gRPC puts it into DATA.
  static byte[] message(byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  /// What is answered up to the end of the connection, a frame a line, as [#next] shows them.
  List<String> rest() throws IOException {
    List<String> all = new ArrayList<>();
    for (String frame = next(); !frame.equals("end"); frame = next()) all.add(frame);
    return all;
  }

  /// The first frame that is answered and not among these kinds: `GOAWAY PROTOCOL_ERROR`,
  /// `RST_STREAM 1 CANCEL`, `HEADERS 1 :status=200 …`, `DATA 1 5`, `WINDOW_UPDATE 0 100`, `PING
  /// ack`; `end` when the connection is closed.
  String nextBut(String... kinds) throws IOException {
    String frame = next();
    while (List.of(kinds).contains(frame.split(" ", 2)[0])) frame = next();
    return frame;
  }

  String next() throws IOException {
    byte[] head = new byte[9];
    try {
      in.readFully(head);
    } catch (EOFException e) {
      return "end";
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("reset")) return "end";
      throw e;
    }
    ByteBuffer fields = ByteBuffer.wrap(head);
    int length = ((fields.getShort() & 0xffff) << 8) | (fields.get() & 0xff);
    int type = fields.get();
    int flags = fields.get();
    int stream = fields.getInt();
    byte[] payload = in.readNBytes(length);
    String end = (flags & 1) != 0 ? " end" : "";
    return switch (type) {
      case 0 -> "DATA " + stream + " " + length + end;
      case 1 ->
          "HEADERS "
              + stream
              + " "
              + decoder.decode(payload, 0, length).headers().stream()
                  .map(header -> header.name() + "=" + header.value())
                  .collect(Collectors.joining(" "))
              + end;
      case 3 -> "RST_STREAM " + stream + " " + code(payload, 0);
      case 4 -> (flags & 1) != 0 ? "SETTINGS ack" : "SETTINGS";
      case 6 -> "PING " + HexFormat.of().formatHex(payload);
      case 7 -> "GOAWAY " + code(payload, 4);
      case 8 -> "WINDOW_UPDATE " + stream + " " + ByteBuffer.wrap(payload).getInt();
      default -> "type " + type;
    };
  }

  private static String code(byte[] payload, int at) {
    int number = ByteBuffer.wrap(payload).getInt(at);
    return ErrorCode.of(number).toString();
  }

  /// Bytes one after the other.
  static byte[] joined(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) all.writeBytes(part);
    return all.toByteArray();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
