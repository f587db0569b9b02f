package dev.patchbay.rpc.http2;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// One exchange on a connection. Thread-safe.
///
/// Nothing here waits for the peer: what it does not take yet is kept, and [#isReady] says when
/// that is too much.
public final class Stream {
  /// Who has so much waiting should not add to it.
  private static final int PLENTY = 32 * 1024;

  private final Connection connection;

  // All that follows is guarded by the connection's lock.
  int id;
  int sendWindow;
  int receiveWindow;
  boolean remoteEnded;
  boolean localEnded;
  boolean gone;
  private int untold;
  private final Deque<byte[]> unsent = new ArrayDeque<>(2);
  private int sentOfFirst;
  private long waiting;
  private boolean wasFull;
  private boolean ends;
  private byte[] opening = {};
  private Optional<byte[]> trailers = Optional.empty();
  private Optional<StreamReader> reader = Optional.empty();

  Stream(Connection connection, int id, int sendWindow) {
    this.connection = connection;
    this.id = id;
    this.sendWindow = sendWindow;
    receiveWindow = connection.wholeWindow();
  }

  /// Sends a header block, encoded. Sends nothing any more when the stream is over.
  public void headers(byte[] block) {
    connection.change(() -> {
      if (!gone && !ends) connection.sendHeaders(this, block);
    });
  }

  /// Sends a part of the content, after all parts before it. It must not be changed any more.
  public void data(byte[] bytes) {
    connection.change(() -> {
      if (gone || ends) return;
      unsent.add(bytes);
      waiting += bytes.length;
      connection.pump(this);
      wasFull |= isFull();
    });
  }

  /// Sends all at once: headers, content, trailers; the stream ends with them.
  ///
  /// @param headers empty when they were sent before
  /// @param trailers the block of headers that ends the stream
  public void finish(Optional<byte[]> headers, Optional<byte[]> content, byte[] trailers) {
    connection.change(() -> {
      if (gone || ends) return;
      headers.ifPresent(block -> connection.sendHeaders(this, block));
      content.ifPresent(bytes -> {
        unsent.add(bytes);
        waiting += bytes.length;
      });
      ends = true;
      this.trailers = Optional.of(trailers);
      connection.pump(this);
    });
  }

  /// Whether little is waiting to be sent.
  public boolean isReady() {
    connection.lock();
    try {
      return !gone && !isFull();
    } finally {
      connection.unlock();
    }
  }

  private boolean isFull() {
    return waiting >= PLENTY;
  }

  /// So many bytes of content were taken: the peer may send as many more.
  public void taken(int bytes) {
    connection.change(() -> {
      untold += bytes;
      if (gone || remoteEnded || untold < connection.wholeWindow() / 2) return;
      receiveWindow += untold;
      connection.sendWindowUpdate(id, untold);
      untold = 0;
    });
  }

  /// Gives the stream up. Nothing more is told of it.
  public void reset(ErrorCode code) {
    connection.change(() -> {
      if (!gone) connection.sendReset(this, code);
    });
  }

  // What follows is the connection's, under its lock.

  void readBy(StreamReader newReader) {
    reader = Optional.of(newReader);
  }

  /// Who is told of what arrives; empty while the one who accepts the stream thinks about it.
  Optional<StreamReader> reader() {
    return reader;
  }

  /// How many bytes of the next part are to be sent; -1 when there is none.
  int nextLength() {
    byte[] first = unsent.peek();
    return first == null ? -1 : first.length - sentOfFirst;
  }

  /// Moves bytes of the next part to where frames wait for the socket.
  void move(int length, Outbox out) {
    out.put(unsent.element(), sentOfFirst, length);
    sentOfFirst += length;
    waiting -= length;
    if (sentOfFirst == unsent.element().length) {
      unsent.remove();
      sentOfFirst = 0;
    }
  }

  /// Sets the first headers, and the whole content, after which nothing follows.
  void begin(byte[] headers, byte[] content) {
    opening = headers;
    unsent.add(content);
    waiting += content.length;
    ends = true;
  }

  /// The first headers of a stream of ours, encoded.
  byte[] opening() {
    return opening;
  }

  /// Whether the part that is being sent is the last of all.
  boolean isAtLastPart() {
    return ends && unsent.size() == 1;
  }

  /// Whether the end is due once all parts are sent.
  boolean ends() {
    return ends;
  }

  Optional<byte[]> trailers() {
    return trailers;
  }

  /// Whether the owner has to be told that little is waiting again; true once.
  boolean becameReady() {
    boolean became = wasFull && !isFull();
    if (became) wasFull = false;
    return became;
  }

  void forgetUnsent() {
    unsent.clear();
    waiting = 0;
  }
}
