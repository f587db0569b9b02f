package main

import (
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/utils/cpuset"
)

// The container manager is what provides the PodResources server with its data. Each provider here passes on to one manager, in the container
// manager's shapes: linked.go has its conversions.

type cpuProvider struct{ manager cpumanager.Manager }

func (p cpuProvider) GetCPUs(podUID, container string) []int64 {
	if p.manager == nil {
		return []int64{}
	}
	return ids(p.manager.GetExclusiveCPUs(podUID, container))
}

func (p cpuProvider) GetAllocatableCPUs() []int64 {
	if p.manager == nil {
		return []int64{}
	}
	return ids(p.manager.GetAllocatableCPUs())
}

func ids(cpus cpuset.CPUSet) []int64 {
	ids := make([]int64, 0, cpus.Size())
	for _, id := range cpus.UnsortedList() {
		ids = append(ids, int64(id))
	}
	return ids
}
