package dev.patchbay.rpc.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class EventLoopTest {
  @AutoClose private final EventLoop loop = new EventLoop();

  @Test
  void oneChannelThatFailsIsClosedAndTheOthersAreWatchedOn() throws Exception {
    Pipe failing =
        pipe((_, _) -> {
          throw new StackOverflowError("of one connection");
        });
    var heard = new CompletableFuture<Boolean>();
    Pipe other =
        pipe((key, _) -> {
          key.cancel();
          heard.complete(true);
        });

    failing.sink().write(ByteBuffer.allocate(1));
    other.sink().write(ByteBuffer.allocate(1));

    assertThat(heard.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.isRunning()).isTrue();
    failing.sink().close();
    other.sink().close();
    other.source().close();
  }

  @Test
  void itRunsFromItsFirstChannelToItsEnd() throws Exception {
    assertThat(loop.isRunning()).isFalse();
    Pipe pipe = pipe((key, _) -> key.cancel());
    assertThat(loop.isRunning()).isTrue();

    loop.close();

    assertThat(loop.isRunning()).isFalse();
    pipe.sink().close();
    pipe.source().close();
  }

  private Pipe pipe(EventLoop.Ready ready) throws Exception {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    var _ = loop.register(pipe.source(), SelectionKey.OP_READ, ready);
    return pipe;
  }
}
