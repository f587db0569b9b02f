package dev.patchbay.rpc.http2;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderDecoder;
import dev.patchbay.rpc.hpack.HpackException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// One HTTP/2 connection, as client or as server. Thread-safe.
///
/// What arrives is handled by the event loop: state changes under the lock, readers are told
/// without it. What is sent is put into the [Sender] under the lock and written as far as the
/// socket takes it, by whoever sends; the rest follows when the socket is ready again.
public final class Connection implements AutoCloseable {
  /// What a peer may send without having been told that it was read: RFC 9113, section 6.9.2.
  static final int WINDOW = 65_535;

  /// What a server may send to us: a list of thousands of devices at one go. We open few streams; a
  /// peer that opens many is held to [#WINDOW] on each.
  private static final int CLIENT_WINDOW = 1024 * 1024;

  /// How many streams a peer may have open.
  static final int MAX_STREAMS = 1_000;

  private static final Duration HANDSHAKE = Duration.ofSeconds(10);

  /// Says who reads a stream that the peer opened.
  public interface Acceptor {
    /// A stream came with these headers. Must not wait.
    ///
    /// @param isLast nothing follows from the peer
    StreamReader accept(Stream stream, List<Header> headers, boolean isLast);
  }

  private final EventLoop loop;
  private final SocketChannel channel;
  private final Optional<Acceptor> acceptor;
  private final Consumer<Connection> onClose;
  private final FrameReader frames;
  private final CountDownLatch greeted = new CountDownLatch(1);
  private volatile Runnable cancelHandshake = () -> {};
  private final ReentrantLock lock = new ReentrantLock();

  // Of the loop's thread.
  private final HeaderDecoder decoder = new HeaderDecoder(HeaderBlock.MAX_BYTES);
  private Optional<HeaderBlock> block = Optional.empty();

  // Guarded by the lock.
  private final Sender sender;
  private final Map<Integer, Stream> streams = new HashMap<>();
  private final int wholeWindow;
  private int receiveWindow;
  private final List<StreamReader> writable = new ArrayList<>(1);
  private int untold;
  private int lastOfPeer;
  private volatile boolean leaving;
  private volatile Optional<String> broken = Optional.empty();
  private boolean closed;
  private Optional<String> end = Optional.empty();

  private Connection(
      EventLoop loop,
      SocketChannel channel,
      Optional<Acceptor> acceptor,
      Consumer<Connection> onClose) {
    this.loop = loop;
    this.channel = channel;
    this.acceptor = acceptor;
    this.onClose = onClose;
    frames = new FrameReader(acceptor.isPresent(), this::frame);
    wholeWindow = acceptor.isPresent() ? WINDOW : CLIENT_WINDOW;
    receiveWindow = wholeWindow;
    sender = new Sender(acceptor.isEmpty(), this::progressed);
  }

  /// Serves a client that has connected.
  ///
  /// @param onClose told once, when the connection is over
  public static Connection server(
      EventLoop loop, SocketChannel channel, Acceptor acceptor, Consumer<Connection> onClose)
      throws IOException {
    var connection = new Connection(loop, channel, Optional.of(acceptor), onClose);
    connection.start();
    // Who says nothing is not kept.
    connection.cancelHandshake = loop.after(HANDSHAKE.toNanos(), connection::endUnlessGreeted);
    return connection;
  }

  /// Speaks to a server that was connected to.
  ///
  /// @param onClose told once, when the connection is over
  public static Connection client(
      EventLoop loop, SocketChannel channel, Consumer<Connection> onClose) throws IOException {
    var connection = new Connection(loop, channel, Optional.empty(), onClose);
    connection.start();
    return connection;
  }

  private void start() throws IOException {
    channel.configureBlocking(false);
    lock();
    try {
      // Before anything is read, so that the greeting is the first that is sent.
      sender.greet(wholeWindow);
      sender.sendBy(channel, loop, loop.register(channel, SelectionKey.OP_READ, this::ready));
    } finally {
      unlock();
    }
  }

  private void endUnlessGreeted() {
    if (greeted.getCount() > 0)
      fail(ErrorCode.SETTINGS_TIMEOUT, "the peer said nothing for " + HANDSHAKE);
  }

  /// The peer has spoken, or the connection is over.
  private void endHandshake() {
    greeted.countDown();
    cancelHandshake.run();
  }

  /// Waits until the peer has shown that it speaks HTTP/2, or the connection is over.
  ///
  /// @return false when it did neither in that time
  public boolean awaitGreeting(Duration atMost) throws InterruptedException {
    return greeted.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Whether new streams can be opened.
  public boolean isOpen() {
    lock();
    try {
      return !closed && !leaving && sender.hasStreamNumbers();
    } finally {
      unlock();
    }
  }

  /// Why the connection is over; empty when it is not.
  public Optional<String> end() {
    lock();
    try {
      return end;
    } finally {
      unlock();
    }
  }

  /// Opens a stream. Where the peer allows no more of them it begins when another one ends.
  ///
  /// @param headers the block, encoded
  /// @param content all of it, after which nothing follows
  /// @throws IOException when the connection is over
  public Stream open(byte[] headers, byte[] content, StreamReader reader) throws IOException {
    var stream = new Stream(this, 0, 0);
    boolean isOpen =
        change(() -> {
          stream.readBy(reader);
          stream.begin(headers, content);
          sender.open(stream);
          startWaiting();
        });
    if (!isOpen) throw new IOException(end().orElse("the connection is closed"));
    return stream;
  }

  private void startWaiting() {
    for (Stream stream : sender.startWaiting()) streams.put(stream.id, stream);
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /// Changes something under the lock and sends what that left to be sent.
  ///
  /// @return false when the connection is over: nothing was changed
  boolean change(Runnable change) {
    Optional<IOException> failure = Optional.empty();
    List<StreamReader> told = List.of();
    lock();
    try {
      if (closed) return false;
      change.run();
      sender.flush();
      if (!writable.isEmpty()) {
        told = List.copyOf(writable);
        writable.clear();
      }
    } catch (IOException e) {
      failure = Optional.of(e);
    } finally {
      unlock();
    }
    told.forEach(StreamReader::writable);
    failure.ifPresent(this::onlyRead);
    return true;
  }

  /// The peer takes nothing any more. What it said before it closed may still be there, the answer
  /// to a call among it, so that the connection goes on to the end of that.
  private void onlyRead(IOException failure) {
    lock();
    try {
      if (closed) return;
      leaving = true;
      broken = Optional.of(reason(failure));
      if (sender.stop()) return;
    } finally {
      unlock();
    }
    end(reason(failure));
  }

  private static String reason(IOException e) {
    return "the connection broke: " + e.getMessage();
  }

  // For streams, under the lock.

  void sendHeaders(Stream stream, byte[] headers) {
    sender.headers(stream, headers, false);
  }

  void pump(Stream stream) {
    sender.pump(stream);
    sent(stream);
  }

  private void sent(Stream stream) {
    if (!stream.localEnded || stream.gone) return;
    if (stream.remoteEnded) forget(stream);
    // A server's way to say that it wants no more of the request.
    else if (acceptor.isPresent()) sendReset(stream, ErrorCode.NO_ERROR);
  }

  /// How much a peer may send on a new stream.
  int wholeWindow() {
    return wholeWindow;
  }

  void sendWindowUpdate(int stream, int bytes) {
    sender.windowUpdate(stream, bytes);
  }

  void sendReset(Stream stream, ErrorCode code) {
    if (stream.id != 0) sender.reset(stream.id, code);
    forget(stream);
  }

  private void progressed(Stream stream) {
    sent(stream);
    if (!stream.gone && stream.becameReady()) stream.reader().ifPresent(writable::add);
  }

  private void remoteEnded(Stream stream) {
    stream.remoteEnded = true;
    if (stream.localEnded) forget(stream);
  }

  private void forget(Stream stream) {
    stream.gone = true;
    stream.forgetUnsent();
    streams.remove(stream.id);
    sender.forget(stream);
    startWaiting();
  }

  // What arrives. The loop's thread from here on.

  private void ready(SelectionKey key, byte[] scratch) {
    try {
      if (key.isReadable() && !frames.readFrom(channel, scratch)) {
        end(broken.orElse("the peer closed the connection"));
        return;
      }
      change(Connection::nothing);
      endIfDone();
    } catch (ConnectionException e) {
      fail(e.code(), String.valueOf(e.getMessage()));
    } catch (HpackException e) {
      fail(ErrorCode.COMPRESSION_ERROR, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      end(reason(e));
    } catch (RuntimeException | Error e) {
      // A mistake of ours: who waits for an answer has to hear of it.
      end("the connection failed here: " + e);
      throw e;
    }
  }

  /// What is changed where only the answers are to be sent.
  private static void nothing() {}

  private void endIfDone() {
    if (!leaving) return;
    lock();
    boolean done;
    try {
      done = leaving && streams.isEmpty();
    } finally {
      unlock();
    }
    if (done) end(broken.orElse("the peer is leaving"));
  }

  private void frame(FrameType type, int flags, int id, byte[] bytes, int from, int length)
      throws IOException {
    if (block.isPresent() && (type != FrameType.CONTINUATION || id != block.get().stream))
      throw broken("a header block is interrupted by " + type);
    if (greeted.getCount() > 0 && type != FrameType.SETTINGS)
      throw broken("the first frame is " + type + " and not SETTINGS");
    switch (type) {
      case DATA -> data(flags, id, bytes, from, length);
      case HEADERS -> headers(flags, id, bytes, from, length);
      case CONTINUATION -> continuation(flags, bytes, from, length);
      case RST_STREAM -> {
        exactly(4, length, type);
        ofStream(id, type);
        reset(id, ErrorCode.of(FrameReader.int32(bytes, from)));
      }
      case SETTINGS -> settings(flags, id, bytes, from, length);
      case PING -> {
        exactly(8, length, type);
        ofConnection(id, type);
        if ((flags & FrameType.ACK) == 0) ping(bytes, from);
      }
      case GOAWAY -> {
        ofConnection(id, type);
        if (length < 8) throw wrongSize(type, length);
        leave(FrameReader.int32(bytes, from) & Integer.MAX_VALUE);
      }
      case WINDOW_UPDATE -> {
        exactly(4, length, type);
        windowUpdate(id, FrameReader.int32(bytes, from) & Integer.MAX_VALUE);
      }
      case PRIORITY -> {
        ofStream(id, type);
        exactly(5, length, type);
      }
      case PUSH_PROMISE -> throw broken("PUSH_PROMISE, which nobody asked for");
      case UNKNOWN -> {}
    }
  }

  private static ConnectionException broken(String why) {
    return new ConnectionException(ErrorCode.PROTOCOL_ERROR, why);
  }

  private static ConnectionException wrongSize(FrameType type, int length) {
    return new ConnectionException(
        ErrorCode.FRAME_SIZE_ERROR, "a " + type + " frame has " + length + " bytes");
  }

  private static void exactly(int needed, int length, FrameType type) throws ConnectionException {
    if (length != needed) throw wrongSize(type, length);
  }

  private static void ofStream(int id, FrameType type) throws ConnectionException {
    if (id == 0) throw broken(type + " without a stream");
  }

  private static void ofConnection(int id, FrameType type) throws ConnectionException {
    if (id != 0) throw broken(type + " on stream " + id);
  }

  /// Whether no stream with this number was opened yet.
  private boolean isIdle(int id) {
    boolean isClients = (id & 1) == 1;
    boolean isOurs = isClients == acceptor.isEmpty();
    return isOurs ? sender.isUnused(id) : id > lastOfPeer || acceptor.isEmpty();
  }

  private static int padding(int flags, byte[] bytes, int from, int length)
      throws ConnectionException {
    if ((flags & FrameType.PADDED) == 0) return 0;
    if (length == 0) throw wrongSize(FrameType.DATA, length);
    int padding = bytes[from] & 0xff;
    if (padding >= length) throw broken("a frame is all padding");
    return padding + 1;
  }

  private void data(int flags, int id, byte[] bytes, int from, int length)
      throws ConnectionException {
    ofStream(id, FrameType.DATA);
    int padding = padding(flags, bytes, from, length);
    boolean isLast = (flags & FrameType.END_STREAM) != 0;
    Stream stream;
    Optional<ErrorCode> refusal = Optional.empty();
    lock();
    try {
      takeFromWindow(length);
      stream = streams.get(id);
      if (stream == null) {
        if (isIdle(id)) throw broken("DATA on stream " + id + ", which nobody opened");
        return; // given up before the peer knew
      }
      if (stream.remoteEnded) refusal = Optional.of(ErrorCode.STREAM_CLOSED);
      else if (length > stream.receiveWindow) refusal = Optional.of(ErrorCode.FLOW_CONTROL_ERROR);
      stream.receiveWindow -= length;
      if (refusal.isPresent()) sendReset(stream, refusal.get());
      else if (isLast) remoteEnded(stream);
    } finally {
      unlock();
    }
    StreamReader reader = stream.reader().orElseThrow();
    if (refusal.isPresent()) {
      reader.reset(refusal.get(), "the peer sent data that it may not send");
      return;
    }
    if (padding > 0) stream.taken(padding);
    int start = (flags & FrameType.PADDED) == 0 ? from : from + 1;
    reader.data(bytes, start, length - padding, isLast);
  }

  /// Data of all streams is counted as read when it arrives; each stream's own window bounds what
  /// waits.
  private void takeFromWindow(int length) throws ConnectionException {
    receiveWindow -= length;
    if (receiveWindow < 0)
      throw new ConnectionException(
          ErrorCode.FLOW_CONTROL_ERROR, "the peer sent more than the window allows");
    untold += length;
    if (untold < wholeWindow / 2) return;
    receiveWindow += untold;
    sender.windowUpdate(0, untold);
    untold = 0;
  }

  private void headers(int flags, int id, byte[] bytes, int from, int length) throws IOException {
    ofStream(id, FrameType.HEADERS);
    int padding = padding(flags, bytes, from, length);
    int start = from + ((flags & FrameType.PADDED) != 0 ? 1 : 0);
    int size = length - padding;
    if ((flags & FrameType.HAS_PRIORITY) != 0) {
      if (size < 5) throw wrongSize(FrameType.HEADERS, length);
      start += 5;
      size -= 5;
    }
    var begun = new HeaderBlock(id, (flags & FrameType.END_STREAM) != 0);
    begun.add(bytes, start, size);
    block = Optional.of(begun);
    if ((flags & FrameType.END_HEADERS) != 0) endBlock(begun);
  }

  private void continuation(int flags, byte[] bytes, int from, int length) throws IOException {
    if (block.isEmpty()) throw broken("CONTINUATION of nothing");
    HeaderBlock begun = block.get();
    begun.add(bytes, from, length);
    if ((flags & FrameType.END_HEADERS) != 0) endBlock(begun);
  }

  private void endBlock(HeaderBlock whole) throws IOException {
    block = Optional.empty();
    byte[] encoded = whole.bytes();
    HeaderDecoder.Decoded decoded = decoder.decode(encoded, 0, encoded.length);
    Stream stream;
    boolean isNew;
    Optional<ErrorCode> refusal = Optional.empty();
    lock();
    try {
      Stream known = streams.get(whole.stream);
      isNew = known == null && isIdle(whole.stream);
      if (known == null && !isNew) return; // given up before the peer knew
      if (isNew && (acceptor.isEmpty() || (whole.stream & 1) == 0))
        throw broken("the peer opened stream " + whole.stream);
      if (isNew) lastOfPeer = whole.stream;
      stream = known == null ? new Stream(this, whole.stream, sender.initialWindow()) : known;
      if (stream.remoteEnded) refusal = Optional.of(ErrorCode.STREAM_CLOSED);
      else if (!isNew && acceptor.isPresent() && !whole.isLast)
        refusal = Optional.of(ErrorCode.PROTOCOL_ERROR);
      else if (decoded.isTooLarge()) refusal = Optional.of(ErrorCode.ENHANCE_YOUR_CALM);
      else if (isNew && streams.size() >= MAX_STREAMS)
        refusal = Optional.of(ErrorCode.REFUSED_STREAM);
      if (isNew && refusal.isEmpty()) streams.put(stream.id, stream);
      if (refusal.isPresent()) sendReset(stream, refusal.get());
      else if (whole.isLast) remoteEnded(stream);
      sender.checkBacklog();
    } finally {
      unlock();
    }
    if (isNew) {
      if (refusal.isEmpty()) accept(stream, decoded.headers(), whole.isLast);
      return;
    }
    StreamReader reader = stream.reader().orElseThrow();
    if (refusal.isPresent()) reader.reset(refusal.get(), "the peer sent headers that it may not");
    else reader.headers(decoded.headers(), whole.isLast);
  }

  private void accept(Stream stream, List<Header> headers, boolean isLast) {
    StreamReader reader = acceptor.orElseThrow().accept(stream, headers, isLast);
    boolean isOver;
    lock();
    try {
      stream.readBy(reader);
      isOver = closed;
    } finally {
      unlock();
    }
    if (isOver) reader.lost(end().orElseThrow());
  }

  private void reset(int id, ErrorCode code) throws ConnectionException {
    Stream stream;
    lock();
    try {
      if (isIdle(id)) throw broken("RST_STREAM of stream " + id + ", which nobody opened");
      stream = streams.get(id);
      if (stream == null) return;
      forget(stream);
    } finally {
      unlock();
    }
    stream.reader().orElseThrow().reset(code, "the peer gave up with " + code);
  }

  private void settings(int flags, int id, byte[] bytes, int from, int length)
      throws ConnectionException {
    ofConnection(id, FrameType.SETTINGS);
    if ((flags & FrameType.ACK) != 0) {
      exactly(0, length, FrameType.SETTINGS);
      return;
    }
    if (length % 6 != 0) throw wrongSize(FrameType.SETTINGS, length);
    lock();
    try {
      for (int at = from; at < from + length; at += 6)
        sender.setting(
            FrameReader.int16(bytes, at), FrameReader.int32(bytes, at + 2), streams.values());
      sender.acceptSettings();
      sender.checkBacklog();
      startWaiting();
    } finally {
      unlock();
    }
    endHandshake();
  }

  private void windowUpdate(int id, int bytes) throws ConnectionException {
    lock();
    try {
      if (id == 0) {
        if (bytes == 0) throw broken("WINDOW_UPDATE of nothing");
        sender.widen(bytes);
        return;
      }
      Stream stream = streams.get(id);
      if (stream == null) {
        if (isIdle(id)) throw broken("WINDOW_UPDATE of stream " + id + ", which nobody opened");
        return;
      }
      if (bytes == 0) throw broken("WINDOW_UPDATE of nothing on stream " + id);
      stream.sendWindow = Sender.widened(stream.sendWindow, bytes);
    } finally {
      unlock();
    }
  }

  private void ping(byte[] bytes, int from) throws ConnectionException {
    lock();
    try {
      sender.pong(bytes, from);
      sender.checkBacklog();
    } finally {
      unlock();
    }
  }

  /// The peer takes no streams after this one of ours.
  private void leave(int last) {
    List<Stream> refused = new ArrayList<>();
    lock();
    try {
      leaving = true;
      if (acceptor.isPresent()) return;
      for (Stream stream : List.copyOf(streams.values())) if (stream.id > last) refused.add(stream);
      refused.addAll(sender.waiting());
      refused.forEach(this::forget);
    } finally {
      unlock();
    }
    for (Stream stream : refused) stream.reader().orElseThrow().lost("the peer is leaving");
  }

  // The end.

  private void fail(ErrorCode code, String why) {
    lock();
    try {
      if (!closed) sender.goAway(lastOfPeer, code, why.getBytes(StandardCharsets.UTF_8));
    } finally {
      unlock();
    }
    end(why);
  }

  /// Ends all streams and closes the socket. May be called twice.
  @Override
  public void close() {
    fail(ErrorCode.NO_ERROR, "");
  }

  private void end(String why) {
    List<Stream> open = new ArrayList<>();
    lock();
    try {
      if (closed) return;
      closed = true;
      end = Optional.of(why.isEmpty() ? "the connection was closed" : why);
      open.addAll(streams.values());
      open.addAll(sender.waiting());
      open.forEach(stream -> stream.gone = true);
      // One that is being accepted in this moment is told by the one who does it.
      open.removeIf(stream -> stream.reader().isEmpty());
      streams.clear();
      sender.close();
    } finally {
      unlock();
    }
    endHandshake();
    for (Stream stream : open) stream.reader().orElseThrow().lost(end().orElseThrow());
    onClose.accept(this);
  }
}
