package dev.patchbay.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/// The signals that a daemon listens to.
///
/// The JDK has no supported interface for signals; `sun.misc.Signal`, in the module
/// `jdk.unsupported`, is called by its name since the compiler's warning about it cannot be
/// silenced.
final class Signals {
  private Signals() {}

  /// A latch that opens when the process is asked to end, by SIGTERM or SIGINT.
  static CountDownLatch whenAskedToEnd() {
    var asked = new CountDownLatch(1);
    on("TERM", asked::countDown);
    on("INT", asked::countDown);
    return asked;
  }

  /// Runs this at each SIGHUP, which otherwise would end the process.
  static void onHangUp(Runnable action) {
    on("HUP", action);
  }

  private static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      InvocationHandler run =
          (_, method, _) -> {
            if (method.getName().equals("handle")) action.run();
            return null;
          };
      Object proxy =
          Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, run);
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "cannot listen to SIG" + name + "; the Java module jdk.unsupported is needed", e);
    }
  }
}
