package main

// What all minors have in common of the types that the files beside this one finish.

import (
	"context"

	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	kubeletsources "k8s.io/kubernetes/pkg/kubelet/config"
)

func startMemoryManager(manager memorymanager.Manager, pods *knownPods, sources kubeletsources.SourcesReady, runtime noRuntime, containers containermap.ContainerMap) error {
	return manager.Start(context.Background(), pods.GetActivePods, sources, pods, runtime, containers)
}

type cpuProvider struct{ manager cpumanager.Manager }

func (p cpuProvider) GetAllocatableCPUs() []int64 {
	if p.manager == nil {
		return []int64{}
	}
	return ids(p.manager.GetAllocatableCPUs())
}

type deviceProvider struct{ manager *devicemanager.ManagerImpl }

func (p deviceProvider) GetDevices(podUID, container string) []*podresourcesv1.ContainerDevices {
	return containerDevices(p.manager.GetDevices(podUID, container))
}

type memoryProvider struct{ manager memorymanager.Manager }

type noDynamicResources struct{}
