package dev.patchbay.sdk;

import dev.patchbay.model.ResourceName;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/// File names of one resource's sockets: `pb-<name>-<sum of the resource>-<unique>.sock`. Each is
/// used once: a kubelet may still mean an earlier socket by an earlier name.
final class SocketNames {
  private static final int LONGEST_NAME = 20;

  private final String prefix;
  private final String start;
  private final AtomicInteger next = new AtomicInteger();

  SocketNames(ResourceName resource, RandomGenerator random) {
    String name = resource.name().replaceAll("[^A-Za-z0-9]", "");
    var sum = new CRC32();
    sum.update(resource.toString().getBytes(StandardCharsets.UTF_8));
    prefix =
        "pb-"
            + name.substring(0, Math.min(name.length(), LONGEST_NAME))
            + "-"
            + Long.toString(sum.getValue(), 36)
            + "-";
    start = Integer.toString(random.nextInt(36 * 36 * 36 * 36), 36);
  }

  /// A name that this object has not given before, and another one than any earlier process gave,
  /// but for a chance of one in 1.6 million.
  String next() {
    return prefix + start + Integer.toString(next.getAndIncrement(), 36) + ".sock";
  }

  /// Whether a file with this name was a socket of this resource, of this process or an earlier
  /// one.
  boolean isOurs(Path file) {
    return Pattern.matches(
        Pattern.quote(prefix) + "[a-z0-9]+\\.sock", String.valueOf(file.getFileName()));
  }
}
