package dev.patchbay.kubelet.wire;

import io.grpc.StatusRuntimeException;
import java.util.Locale;

/// How a call that failed is put into words by the kubelet, which is written in Go.
public final class GoStatus {
  private GoStatus() {}

  /// `rpc error: code = DeadlineExceeded desc = …`
  public static String text(StatusRuntimeException failure) {
    String description = failure.getStatus().getDescription();
    return "rpc error: code = "
        + goName(failure.getStatus().getCode().name())
        + " desc = "
        + (description == null ? "" : description);
  }

  /// `DEADLINE_EXCEEDED` as Go says it: `DeadlineExceeded`.
  private static String goName(String code) {
    var name = new StringBuilder();
    for (String word : code.split("_", -1))
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    return name.toString();
  }
}
