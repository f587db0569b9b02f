package dev.patchbay.kubelet;

/// A container as the runtime reports it when the kubelet starts.
///
/// @param id the runtime's own; several can belong to one container of a pod, of which the older
///   ones have ended
public record RuntimeContainer(String podUid, String container, String id, boolean running) {}
