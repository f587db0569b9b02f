package dev.patchbay.kubelet.config;

/// A field of the configuration that an option of a command says instead of a file. It replaces
/// what the file says of the field; of `featureGates` gate by gate.
///
/// @param option as on the command line: `--topology-manager-policy`
/// @param field of `KubeletConfiguration`
/// @param text as the kubelet's option of this name takes it: a mapping as `a=b,c=d`
public record ConfigOption(String option, String field, String text) {}
