package dev.patchbay.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.patchbay.proto.deviceplugin.v1beta1.Empty;
import dev.patchbay.proto.deviceplugin.v1beta1.RegisterRequest;
import dev.patchbay.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server whose process has no file descriptor left: a real process with a real limit.
@Timeout(60)
final class OutOfFilesTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @AutoClose private final SocketHome home = SocketHome.open();
  private final Transport transport = home.transport();
  private final Path dir = home.dir();

  @Test
  void aServerThatCouldLetNobodyInDoesSoAgainWhenItCan() throws Exception {
    Process process =
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "ulimit -n 200 && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                dir.resolve("s.sock").toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      try (var orders = new PrintStream(process.getOutputStream(), true);
          BufferedReader answers = process.inputReader()) {
        assertThat(answers.readLine()).isEqualTo("serving");
        assertThat(register()).isTrue();
        assertThat(ask(orders, answers, 'p')).isEqualTo("-");

        assertThat(ask(orders, answers, 'f')).isEqualTo("full");
        try (var waiting = SocketChannel.open(StandardProtocolFamily.UNIX)) {
          waiting.connect(UnixDomainSocketAddress.of(dir.resolve("s.sock")));
          await()
              .atMost(SOON)
              .until(() -> ask(orders, answers, 'p').endsWith("Too many open files"));

          assertThat(ask(orders, answers, 'e')).isEqualTo("empty");
        }
        await().atMost(SOON).until(() -> ask(orders, answers, 'p').equals("-"));
        assertThat(register()).isTrue();
      }
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(0);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String ask(PrintStream orders, BufferedReader answers, char what)
      throws IOException {
    orders.append(what).flush();
    return String.valueOf(answers.readLine());
  }

  private boolean register() throws IOException {
    try (UnixChannel channel = transport.connect(dir.resolve("s.sock"))) {
      var _ =
          RegistrationGrpc.newBlockingStub(channel.grpc())
              .withDeadlineAfter(10, TimeUnit.SECONDS)
              .register(RegisterRequest.getDefaultInstance());
      return true;
    } catch (StatusRuntimeException e) {
      return false;
    }
  }

  /// The process: `f` takes all file descriptors that are left, `e` gives them back, `p` tells the
  /// server's problem. What it needs then is loaded by the first `p`.
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      Deque<FileInputStream> taken = new ArrayDeque<>();
      try (var transport = Transport.open()) {
        UnixServer server = transport.serve(Path.of(args[0]), List.of(new Service()));
        take(taken, 1);
        giveBack(taken);
        System.out.println("serving");
        for (int order = System.in.read(); order >= 0; order = System.in.read())
          switch (order) {
            case 'f' -> {
              take(taken, Integer.MAX_VALUE);
              System.out.println("full");
            }
            case 'e' -> {
              giveBack(taken);
              System.out.println("empty");
            }
            default -> System.out.println(server.problem().orElse("-"));
          }
      }
    }

    private static void take(Deque<FileInputStream> taken, int most) throws IOException {
      try {
        for (int i = 0; i < most; i++) taken.push(new FileInputStream("/dev/null"));
      } catch (FileNotFoundException e) {
        // As many as there are.
      }
    }

    private static void giveBack(Deque<FileInputStream> taken) throws IOException {
      while (!taken.isEmpty()) taken.pop().close();
    }
  }

  private static final class Service extends RegistrationGrpc.RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
