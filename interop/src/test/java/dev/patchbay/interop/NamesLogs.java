package dev.patchbay.interop;

import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/// Ends the message of every failure with the folder that has the logs of all that ran.
final class NamesLogs
    implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
  @Override
  public void handleTestExecutionException(ExtensionContext test, Throwable failure) {
    if (failure instanceof TestAbortedException aborted) throw aborted;
    throw withLogs(test, failure);
  }

  @Override
  public void handleBeforeEachMethodExecutionException(ExtensionContext test, Throwable failure) {
    throw withLogs(test, failure);
  }

  private static AssertionError withLogs(ExtensionContext test, Throwable failure) {
    Path logs = PrivatePlace.logs(test.getRequiredTestMethod().getName());
    return new AssertionError(failure.getMessage() + "\nlogs: " + logs, failure);
  }
}
