package dev.patchbay.rpc.http2;

import dev.patchbay.rpc.hpack.HeaderEncoder;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// What a connection sends: frames in their order, within the windows that the peer opens. All
/// under the connection's lock; nothing here waits.
final class Sender {
  private static final System.Logger LOG = System.getLogger("dev.patchbay.rpc");

  private static final int HEADER_TABLE_SIZE = 1;
  private static final int ENABLE_PUSH = 2;
  private static final int MAX_CONCURRENT_STREAMS = 3;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int MAX_FRAME_SIZE = 5;
  private static final int MAX_HEADER_LIST_SIZE = 6;

  /// No more data is cut into frames while so much waits for the socket.
  private static final int ENOUGH = 64 * 1024;

  /// A peer that makes us answer but does not read is left.
  private static final int TOO_MUCH = 1024 * 1024;

  private final boolean isClient;
  private final Consumer<Stream> onProgress;
  private final Outbox out = new Outbox();
  private final Set<Stream> blocked = new LinkedHashSet<>();
  private final Deque<Stream> waiting = new ArrayDeque<>();
  private Optional<SelectionKey> key = Optional.empty();
  private Optional<EventLoop> loop = Optional.empty();
  private Optional<SocketChannel> channel = Optional.empty();
  private boolean awaitsSocket;
  private boolean stopped;
  private boolean sentHeaders;
  private int window = Connection.WINDOW;
  private int initialWindow = Connection.WINDOW;
  private int maxFrame = FrameReader.MAX_PAYLOAD;
  private int maxStreams = Integer.MAX_VALUE;
  private int nextStream = 1;
  private int openStreams;

  /// @param onProgress told of a stream that had to wait and went on
  Sender(boolean isClient, Consumer<Stream> onProgress) {
    this.isClient = isClient;
    this.onProgress = onProgress;
  }

  /// Says the first words.
  ///
  /// @param receiveWindow what the peer may send, on each stream and in all
  void greet(int receiveWindow) {
    if (isClient) out.bytes(FrameReader.preface());
    out.frame(3 * 6, FrameType.SETTINGS, 0, 0);
    if (isClient) setting(ENABLE_PUSH, 0);
    else setting(MAX_CONCURRENT_STREAMS, Connection.MAX_STREAMS);
    setting(INITIAL_WINDOW_SIZE, receiveWindow);
    setting(MAX_HEADER_LIST_SIZE, HeaderBlock.MAX_BYTES);
    // The setting is for streams alone.
    if (receiveWindow > Connection.WINDOW) windowUpdate(0, receiveWindow - Connection.WINDOW);
  }

  private void setting(int name, int value) {
    out.put16(name);
    out.put32(value);
  }

  /// Where frames go from now on.
  void sendBy(SocketChannel newChannel, EventLoop newLoop, SelectionKey newKey) throws IOException {
    channel = Optional.of(newChannel);
    loop = Optional.of(newLoop);
    key = Optional.of(newKey);
    flush();
  }

  /// Writes as much as the socket takes, and asks to be told when it takes more.
  void flush() throws IOException {
    if (channel.isEmpty() || stopped) return;
    boolean awaited = awaitsSocket;
    do {
      awaitsSocket = !out.writeTo(channel.get());
    } while (!awaitsSocket && resume());
    if (awaitsSocket == awaited) return;
    SelectionKey its = key.orElseThrow();
    try {
      its.interestOps(
          awaitsSocket ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    } catch (CancelledKeyException e) {
      throw new IOException("the socket was closed", e);
    }
    loop.orElseThrow().wakeUp();
  }

  /// Goes on with the streams that had to wait.
  ///
  /// @return whether there is more to write now
  private boolean resume() {
    if (blocked.isEmpty()) return false;
    for (Stream stream : List.copyOf(blocked)) {
      pump(stream);
      onProgress.accept(stream);
    }
    return out.size() > 0;
  }

  void checkBacklog() throws ConnectionException {
    if (out.size() > TOO_MUCH)
      throw new ConnectionException(
          ErrorCode.ENHANCE_YOUR_CALM, "the peer asks but does not read answers");
  }

  int initialWindow() {
    return initialWindow;
  }

  boolean hasStreamNumbers() {
    return nextStream > 0;
  }

  /// Whether this client has opened no stream with this number.
  boolean isUnused(int id) {
    return !isClient || (nextStream > 0 && id >= nextStream);
  }

  /// A stream that has all that it will send.
  void open(Stream stream) {
    waiting.add(stream);
  }

  /// The streams that have not begun.
  List<Stream> waiting() {
    return List.copyOf(waiting);
  }

  /// Begins those that the peer allows.
  List<Stream> startWaiting() {
    if (waiting.isEmpty()) return List.of();
    List<Stream> started = new ArrayList<>();
    while (!waiting.isEmpty() && openStreams < maxStreams && nextStream > 0) {
      Stream stream = waiting.remove();
      stream.id = nextStream;
      stream.sendWindow = initialWindow;
      nextStream += 2;
      openStreams++;
      headers(stream, stream.opening(), false);
      pump(stream);
      started.add(stream);
    }
    return started;
  }

  void forget(Stream stream) {
    blocked.remove(stream);
    boolean hadToWait = waiting.remove(stream);
    if (isClient && !hadToWait) openStreams--;
  }

  void headers(Stream stream, byte[] block, boolean isLast) {
    byte[] whole = block;
    if (!sentHeaders) {
      sentHeaders = true;
      whole = new byte[block.length + 1];
      whole[0] = HeaderEncoder.NO_TABLE;
      System.arraycopy(block, 0, whole, 1, block.length);
    }
    int end = isLast ? FrameType.END_STREAM : 0;
    int length = Math.min(whole.length, maxFrame);
    out.frame(
        length,
        FrameType.HEADERS,
        length == whole.length ? end | FrameType.END_HEADERS : end,
        stream.id);
    out.put(whole, 0, length);
    for (int at = length; at < whole.length; at += length) {
      length = Math.min(whole.length - at, maxFrame);
      boolean isEnd = at + length == whole.length;
      out.frame(length, FrameType.CONTINUATION, isEnd ? FrameType.END_HEADERS : 0, stream.id);
      out.put(whole, at, length);
    }
  }

  /// Sends what a stream has, as far as the windows allow.
  void pump(Stream stream) {
    for (int left = stream.nextLength(); left >= 0; left = stream.nextLength()) {
      int length = Math.min(Math.min(left, maxFrame), Math.min(window, stream.sendWindow));
      if (left > 0 && (length <= 0 || out.size() > ENOUGH)) {
        blocked.add(stream);
        return;
      }
      boolean isEnd = length == left && stream.isAtLastPart() && stream.trailers().isEmpty();
      out.frame(length, FrameType.DATA, isEnd ? FrameType.END_STREAM : 0, stream.id);
      stream.move(length, out);
      window -= length;
      stream.sendWindow -= length;
      stream.localEnded |= isEnd;
    }
    blocked.remove(stream);
    if (!stream.ends() || stream.localEnded) return;
    headers(stream, stream.trailers().orElseThrow(), true);
    stream.localEnded = true;
  }

  void widen(int bytes) throws ConnectionException {
    window = widened(window, bytes);
  }

  static int widened(int window, long bytes) throws ConnectionException {
    long sum = window + bytes;
    if (sum > Integer.MAX_VALUE)
      throw new ConnectionException(
          ErrorCode.FLOW_CONTROL_ERROR, "a window becomes " + sum + " bytes");
    return (int) sum;
  }

  /// Goes by a setting of the peer.
  void setting(int name, int value, Collection<Stream> streams) throws ConnectionException {
    switch (name) {
      case ENABLE_PUSH -> valid(value == 0 || (value == 1 && !isClient), "ENABLE_PUSH", value);
      case MAX_CONCURRENT_STREAMS -> maxStreams = value < 0 ? Integer.MAX_VALUE : value;
      case INITIAL_WINDOW_SIZE -> {
        if (value < 0)
          throw new ConnectionException(
              ErrorCode.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE is above 2^31-1");
        for (Stream stream : streams)
          stream.sendWindow = widened(stream.sendWindow, (long) value - initialWindow);
        initialWindow = value;
      }
      case MAX_FRAME_SIZE -> {
        valid(value >= 16_384 && value <= 16_777_215, "MAX_FRAME_SIZE", value);
        // Larger ones gain nothing.
        maxFrame = FrameReader.MAX_PAYLOAD;
      }
      // Nothing is ever put into the peer's table, and its limit for headers is advice.
      case HEADER_TABLE_SIZE, MAX_HEADER_LIST_SIZE -> {}
      default -> LOG.log(System.Logger.Level.TRACE, "unknown setting name=" + name);
    }
  }

  private static void valid(boolean isValid, String name, int value) throws ConnectionException {
    if (!isValid) throw new ConnectionException(ErrorCode.PROTOCOL_ERROR, name + " is " + value);
  }

  void acceptSettings() {
    out.frame(0, FrameType.SETTINGS, FrameType.ACK, 0);
  }

  void pong(byte[] bytes, int from) {
    out.frame(8, FrameType.PING, FrameType.ACK, 0);
    out.put(bytes, from, 8);
  }

  void windowUpdate(int stream, int bytes) {
    out.frame(4, FrameType.WINDOW_UPDATE, 0, stream);
    out.put32(bytes);
  }

  void reset(int stream, ErrorCode code) {
    out.frame(4, FrameType.RST_STREAM, 0, stream);
    out.put32(code.number());
  }

  void goAway(int lastStream, ErrorCode code, byte[] why) {
    out.frame(8 + why.length, FrameType.GOAWAY, 0, 0);
    out.put32(lastStream);
    out.put32(code.number());
    out.put(why, 0, why.length);
  }

  /// Sends nothing more and waits for the peer's last words alone. A peer that is still there is
  /// told that there is no more.
  ///
  /// @return false when there is nothing to wait for
  boolean stop() {
    stopped = true;
    if (channel.isEmpty() || key.isEmpty()) return false;
    try {
      key.get().interestOps(SelectionKey.OP_READ);
      channel.get().shutdownOutput();
    } catch (IOException | CancelledKeyException e) {
      LOG.log(System.Logger.Level.DEBUG, "socket is closed reason=" + e.getMessage());
      return false;
    }
    loop.orElseThrow().wakeUp();
    return true;
  }

  /// Writes what the socket still takes, and closes it.
  void close() {
    waiting.clear();
    blocked.clear();
    if (channel.isEmpty()) return;
    try (SocketChannel its = channel.get()) {
      if (!stopped) {
        var _ = out.writeTo(its);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "last words not sent reason=" + e.getMessage());
    }
    loop.orElseThrow().wakeUp();
  }
}
