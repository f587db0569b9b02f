package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

const checkpointFile = "kubelet_internal_checkpoint"

// operations are those that need a kubelet.
var operations = map[string]func(*kubelet, *request) (any, error){
	"admit":       admit,
	"remove":      remove,
	"end":         end,
	"capacity":    capacity,
	"node":        node,
	"shouldReset": shouldReset,
	"sources":     sources,
	"gc":          collectGarbage,
	"options":     runOptions,
	"hints":       hints,
	"affinity":    affinity,
	"podStatus":   podStatus,
	"checkpoint":  checkpoint,
	"health":      health,
	"age":         age,
	"sets":        sizes,
}

func admit(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	return k.admit(pod, r.Predicates == nil || *r.Predicates), nil
}

func remove(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	k.pods.remove(pod)
	return true, nil
}

func end(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	phase := v1.PodPhase(r.Phase)
	if !isTerminal(phase) {
		return nil, fmt.Errorf("no pod ends in phase %q; needed is Succeeded or Failed", r.Phase)
	}
	k.pods.end(pod, v1.PodStatus{Phase: phase})
	return true, nil
}

func numbers(list v1.ResourceList) map[string]int64 {
	numbers := map[string]int64{}
	for name, quantity := range list {
		numbers[string(name)] = quantity.Value()
	}
	return numbers
}

func capacity(k *kubelet, _ *request) (any, error) {
	capacity, allocatable, removed := deviceCapacity(k.devices)
	if removed == nil {
		removed = []string{}
	}
	return map[string]any{"capacity": numbers(capacity), "allocatable": numbers(allocatable), "removed": removed}, nil
}

func node(k *kubelet, _ *request) (any, error) {
	node, err := k.node.refreshed(context.Background())
	if err != nil {
		return nil, err
	}
	return map[string]any{"capacity": numbers(node.Status.Capacity), "allocatable": numbers(node.Status.Allocatable)}, nil
}

func shouldReset(k *kubelet, _ *request) (any, error) {
	return k.devices.ShouldResetExtendedResourceCapacity(), nil
}

func sources(k *kubelet, r *request) (any, error) {
	k.sourcesReady.Store(r.Ready)
	return true, nil
}

// collectGarbage does what the kubelet does before it lists or allocates. The CPU and memory managers do it before they give hints, for any pod.
func collectGarbage(k *kubelet, _ *request) (any, error) {
	freeEndedPods(k.devices)
	if k.cpus != nil {
		podHints(k.cpus, &v1.Pod{})
		podHints(k.memory, &v1.Pod{})
	}
	return true, nil
}

type hint struct {
	Mask      []int `json:"mask"`
	Preferred bool  `json:"preferred"`
}

func hintOf(of topologymanager.TopologyHint) hint {
	if of.NUMANodeAffinity == nil {
		return hint{Preferred: of.Preferred}
	}
	return hint{Mask: append([]int{}, of.NUMANodeAffinity.GetBits()...), Preferred: of.Preferred}
}

// hints of all managers, by resource. No preference is null, no possibility an empty list.
func hints(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	of := func(provider topologymanager.HintProvider) map[string][]topologymanager.TopologyHint {
		return podHints(provider, pod)
	}
	if r.Container != "" {
		container, err := k.containerOf(pod, r.Container)
		if err != nil {
			return nil, err
		}
		of = func(provider topologymanager.HintProvider) map[string][]topologymanager.TopologyHint {
			return containerHints(provider, pod, container)
		}
	}
	providers := []topologymanager.HintProvider{k.devices}
	if k.cpus != nil {
		providers = append(providers, k.cpus, k.memory)
	}
	answer := map[string][]hint{}
	for _, provider := range providers {
		for resource, offered := range of(provider) {
			if offered == nil {
				answer[resource] = nil
				continue
			}
			answer[resource] = []hint{}
			for _, one := range offered {
				answer[resource] = append(answer[resource], hintOf(one))
			}
		}
	}
	return answer, nil
}

func affinity(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	container, err := k.containerOf(pod, r.Container)
	if err != nil {
		return nil, err
	}
	return hintOf(affinityOf(k.topology, pod, container)), nil
}

func podStatus(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	if status, ended := k.pods.endedStatus(pod); ended {
		return status, nil
	}
	status := pod.Status.DeepCopy()
	if isTerminal(status.Phase) {
		return status, nil
	}
	status.Phase = v1.PodRunning
	status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		running := v1.ContainerState{Running: &v1.ContainerStateRunning{}}
		status.ContainerStatuses = append(status.ContainerStatuses, v1.ContainerStatus{Name: container.Name, State: running, Ready: true})
	}
	if utilfeature.DefaultFeatureGate.Enabled(features.ResourceHealthStatus) {
		updateAllocatedResources(k.devices, pod, status)
	}
	return status, nil
}

func checkpoint(k *kubelet, _ *request) (any, error) {
	text, err := os.ReadFile(filepath.Join(k.config.deviceDir(), checkpointFile))
	if err != nil {
		return nil, err
	}
	return string(text), nil
}

func health(k *kubelet, _ *request) (any, error) {
	if err := k.devices.GetHealthChecker().Check(nil); err != nil {
		return err.Error(), nil
	}
	return "ok", nil
}

func age(k *kubelet, r *request) (any, error) {
	if err := ageEndpoint(k.devices, r.Resource, time.Duration(r.Seconds*float64(time.Second))); err != nil {
		return nil, err
	}
	return true, nil
}

func sizes(k *kubelet, r *request) (any, error) { return setsOf(k.devices, r.Resource), nil }
