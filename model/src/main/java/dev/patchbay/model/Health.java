package dev.patchbay.model;

/// Whether a device can be given to a container, and why not.
public sealed interface Health {
  /// The device works as far as anybody looked.
  record Healthy() implements Health {
    private static final Healthy ONE = new Healthy();

    @Override
    public String toString() {
      return "healthy";
    }
  }

  /// The device is there, or was, but must not be given away.
  ///
  /// @param reason for a person, one line, not empty: `node /dev/kvm is gone`
  record Unhealthy(String reason) implements Health {
    public Unhealthy {
      if (reason.isBlank())
        throw new IllegalArgumentException("an unhealthy device needs a reason");
    }

    @Override
    public String toString() {
      return "unhealthy: " + reason;
    }
  }

  /// A device without a fault.
  static Health healthy() {
    return Healthy.ONE;
  }

  /// An unhealthy device with this reason.
  static Health unhealthy(String reason) {
    return new Unhealthy(reason);
  }

  /// Whether this is [Healthy].
  default boolean isHealthy() {
    return this instanceof Healthy;
  }
}
