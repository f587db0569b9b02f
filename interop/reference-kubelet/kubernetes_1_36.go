//go:build kubernetes_1_35 || kubernetes_1_36

package main

// What 1.35 and 1.36 alone have.

import (
	_ "unsafe" // for go:linkname

	cadvisor "github.com/google/cadvisor/info/v1"
	"k8s.io/klog/v2"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

//go:linkname linkedDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func linkedDeviceManager(logger klog.Logger, socketPath string, topology []cadvisor.Node, store topologymanager.Store) (*devicemanager.ManagerImpl, error)

func (p memoryProvider) GetMemory(podUID, container string) []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetMemory(podUID, container))
}

func (p memoryProvider) GetAllocatableMemory() []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetAllocatableMemory())
}
