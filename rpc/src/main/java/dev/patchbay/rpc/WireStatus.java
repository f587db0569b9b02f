package dev.patchbay.rpc;

import dev.patchbay.rpc.hpack.Header;
import dev.patchbay.rpc.hpack.HeaderEncoder;
import dev.patchbay.rpc.http2.ErrorCode;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// How a call ended, as gRPC over HTTP/2 says it:
/// [protocol](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
final class WireStatus {
  private static final String CODE = "grpc-status";
  private static final String MESSAGE = "grpc-message";

  /// In bytes; half of the least that common peers take for all headers together, 8 KiB.
  private static final int MOST_OF_MESSAGE = 4096;

  private static final Header CONTENT = new Header("content-type", "application/grpc");

  /// The headers of every answer.
  static final byte[] ANSWER = HeaderEncoder.encode(List.of(new Header(":status", "200"), CONTENT));

  private static final byte[] OK = HeaderEncoder.encode(List.of(new Header(CODE, "0")));

  private WireStatus() {}

  /// The block of headers after the last message.
  static byte[] trailers(Status status) {
    return isPlainOk(status) ? OK : HeaderEncoder.encode(headers(status));
  }

  /// The block of headers of an answer without a message.
  static byte[] alone(Status status) {
    List<Header> all = new ArrayList<>(List.of(new Header(":status", "200"), CONTENT));
    all.addAll(headers(status));
    return HeaderEncoder.encode(all);
  }

  private static boolean isPlainOk(Status status) {
    return status.isOk() && status.getDescription() == null;
  }

  private static List<Header> headers(Status status) {
    List<Header> headers = new ArrayList<>(2);
    headers.add(new Header(CODE, Integer.toString(status.getCode().value())));
    String description = status.getDescription();
    if (description != null) headers.add(new Header(MESSAGE, shortened(description)));
    return headers;
  }

  /// Encoded, and cut where it would be more than a peer takes: with too large headers the whole
  /// connection ends.
  private static String shortened(String description) {
    String whole = percentEncoded(description);
    if (whole.length() <= MOST_OF_MESSAGE) return whole;
    var beginning = new StringBuilder();
    for (int at = 0; at < description.length(); ) {
      int next = description.offsetByCodePoints(at, 1);
      String one = percentEncoded(description.substring(at, next));
      if (beginning.length() + one.length() > MOST_OF_MESSAGE) break;
      beginning.append(one);
      at = next;
    }
    return beginning + percentEncoded("… (" + description.length() + " characters)");
  }

  /// The status of an answer's last headers.
  static Status of(List<Header> trailers) {
    Optional<String> code = valueOf(CODE, trailers);
    if (code.isEmpty()) return httpStatus(trailers, "the answer ends without a status");
    Status status;
    try {
      status = Status.fromCodeValue(Integer.parseInt(code.get()));
    } catch (NumberFormatException e) {
      return Status.UNKNOWN.withDescription("the answer's status is " + code.get());
    }
    return valueOf(MESSAGE, trailers)
        .map(WireStatus::percentDecoded)
        .map(status::withDescription)
        .orElse(status);
  }

  /// What is wrong with an answer's first headers; empty when they are a gRPC server's.
  static Optional<Status> problemOf(List<Header> headers) {
    boolean isOk = valueOf(":status", headers).equals(Optional.of("200"));
    boolean isGrpc =
        valueOf(CONTENT.name(), headers).filter(it -> it.startsWith(CONTENT.value())).isPresent();
    if (isOk && isGrpc) return Optional.empty();
    return Optional.of(httpStatus(headers, "the answer is not gRPC's"));
  }

  private static Status httpStatus(List<Header> headers, String what) {
    String http = valueOf(":status", headers).orElse("none");
    Status status =
        switch (http) {
          case "400" -> Status.INTERNAL;
          case "401" -> Status.UNAUTHENTICATED;
          case "403" -> Status.PERMISSION_DENIED;
          case "404" -> Status.UNIMPLEMENTED;
          case "429", "502", "503", "504" -> Status.UNAVAILABLE;
          default -> Status.UNKNOWN;
        };
    return status.withDescription(what + "; its HTTP status is " + http);
  }

  /// The status of a call whose stream the peer reset.
  static Status ofReset(ErrorCode code, String why) {
    Status status =
        switch (code) {
          case REFUSED_STREAM -> Status.UNAVAILABLE;
          case CANCEL -> Status.CANCELLED;
          case ENHANCE_YOUR_CALM -> Status.RESOURCE_EXHAUSTED;
          case INADEQUATE_SECURITY -> Status.PERMISSION_DENIED;
          case NO_ERROR,
              PROTOCOL_ERROR,
              INTERNAL_ERROR,
              FLOW_CONTROL_ERROR,
              SETTINGS_TIMEOUT,
              STREAM_CLOSED,
              FRAME_SIZE_ERROR,
              COMPRESSION_ERROR,
              CONNECT_ERROR,
              HTTP_1_1_REQUIRED ->
              Status.INTERNAL;
        };
    return status.withDescription(why);
  }

  static Optional<String> valueOf(String name, List<Header> headers) {
    for (Header header : headers)
      if (header.name().equals(name)) return Optional.of(header.value());
    return Optional.empty();
  }

  static String percentEncoded(String text) {
    var encoded = new StringBuilder();
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      if (one >= ' ' && one < '~' + 1 && one != '%') encoded.append((char) one);
      else
        encoded
            .append('%')
            .append(Character.toUpperCase(Character.forDigit((one >> 4) & 0xf, 16)))
            .append(Character.toUpperCase(Character.forDigit(one & 0xf, 16)));
    }
    return encoded.toString();
  }

  /// What is no code stays as it is.
  static String percentDecoded(String text) {
    var bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int high = i + 2 <= text.length() - 1 ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 <= text.length() - 1 ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (c == '%' && high >= 0 && low >= 0) {
        bytes.write((high << 4) | low);
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
