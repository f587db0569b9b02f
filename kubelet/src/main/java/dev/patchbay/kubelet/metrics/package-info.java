/// Figures of the kubelet side under the names that the kubelet gives them, for whoever scrapes a
/// node. Start at [KubeletMetrics].
///
/// What is counted is a [Metric]; [Figures] holds the numbers; [TextFormat] writes them. No
/// library: that of Prometheus renames what the kubelet calls `…_requests_list` to
/// `…_requests_list_total`, and dashboards ask for the former
/// (docs/decisions/0023-metrics-of-our-own.md).
@NullMarked
package dev.patchbay.kubelet.metrics;

import org.jspecify.annotations.NullMarked;
