package main

import (
	"strings"

	"k8s.io/component-base/metrics/legacyregistry"
)

// metricsWith answers with what the kubelet's registry holds, "name,label=value,…" to value; of histograms and summaries the count.
func metricsWith(prefix string) (any, error) {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return nil, err
	}
	answer := map[string]float64{}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), prefix) {
			continue
		}
		for _, metric := range family.Metric {
			name := family.GetName()
			for _, label := range metric.Label {
				name += "," + label.GetName() + "=" + label.GetValue()
			}
			switch {
			case metric.Histogram != nil:
				answer[name] = float64(metric.Histogram.GetSampleCount())
			case metric.Summary != nil:
				answer[name] = float64(metric.Summary.GetSampleCount())
			case metric.Counter != nil:
				answer[name] = metric.Counter.GetValue()
			case metric.Gauge != nil:
				answer[name] = metric.Gauge.GetValue()
			case metric.Untyped != nil:
				answer[name] = metric.Untyped.GetValue()
			}
		}
	}
	return answer, nil
}
