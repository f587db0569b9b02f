/// Ordinary Kubernetes manifests, read into what the kubelet side needs to know of a pod. Start at
/// [PodManifests].
///
/// The only package that sees the Kubernetes model library (fabric8) and the YAML parser. YAML is
/// composed to a tree of nodes with their lines first and bound to the library's types then, so
/// that each problem can name its line; anchors and merge-free aliases work, JSON is read as YAML.
/// The rules are those of Kubernetes' `pkg/apis/core/validation`, as far as they concern what a
/// node does with a pod.
@NullMarked
package dev.patchbay.kubelet.pods;

import org.jspecify.annotations.NullMarked;
