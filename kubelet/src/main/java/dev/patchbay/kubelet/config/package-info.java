/// Reads the kubelet's own configuration file, `KubeletConfiguration` of
/// `kubelet.config.k8s.io/v1beta1`: what of it concerns devices, CPUs, memory and the node's room
/// for pods becomes [dev.patchbay.kubelet.KubeletSettings]. Start at
/// [dev.patchbay.kubelet.config.KubeletConfigReader].
///
/// The same file serves a real kubelet: fields that change nothing here are known and named, what
/// is unknown or wrong is refused with file and line. Facts: `types.go` of
/// `k8s.io/kubelet/config/v1beta1`, `pkg/kubelet/apis/config/validation` and `pkg/kubelet/cm` of
/// Kubernetes 1.36.
@NullMarked
package dev.patchbay.kubelet.config;

import org.jspecify.annotations.NullMarked;
