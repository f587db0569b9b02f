//go:build kubernetes_1_37

package main

// What 1.37 alone has: more loggers and contexts, and PodResources knows pods' own CPUs and memory.

import (
	"context"
	_ "unsafe" // for go:linkname

	cadvisor "github.com/google/cadvisor/lib/model"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	isolation "k8s.io/kubernetes/pkg/kubelet/cm/qos"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

//go:linkname linkedDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func linkedDeviceManager(logger klog.Logger, socketPath string, topology []cadvisor.Node, store topologymanager.Store) (*devicemanager.ManagerImpl, error)

func newTopologyManager(topology []machineNode, policy, scope string, options map[string]string) (topologymanager.Manager, error) {
	return topologymanager.NewManager(klog.TODO(), topology, policy, scope, options)
}

func newMachineSetter(node string, maxPods int, machine *machineInfo, reservation v1.ResourceList, devices *devicemanager.ManagerImpl) nodestatus.Setter {
	return nodestatus.MachineInfo(node, maxPods, 0,
		func() (*machineInfo, error) { return machine, nil },
		func(klog.Logger, bool) v1.ResourceList { return nil },
		devices.GetCapacity,
		func() v1.ResourceList { return reservation },
		func(string, string, string) {},
		func() *bool { return nil },
		false)
}

func deviceCapacity(devices *devicemanager.ManagerImpl) (v1.ResourceList, v1.ResourceList, []string) {
	return devices.GetCapacity(klog.TODO())
}

func freeEndedPods(devices *devicemanager.ManagerImpl) { devices.UpdateAllocatedDevices(klog.TODO()) }

func updateAllocatedResources(devices *devicemanager.ManagerImpl, pod *v1.Pod, status *v1.PodStatus) {
	devices.UpdateAllocatedResourcesStatus(klog.TODO(), pod, status)
}

func podHints(of topologymanager.HintProvider, pod *v1.Pod) map[string][]topologymanager.TopologyHint {
	return of.GetPodTopologyHints(klog.TODO(), pod, lifecycle.AddOperation)
}

func containerHints(of topologymanager.HintProvider, pod *v1.Pod, container *v1.Container) map[string][]topologymanager.TopologyHint {
	return of.GetTopologyHints(klog.TODO(), pod, container, lifecycle.AddOperation)
}

func admitBy(handler lifecycle.PodAdmitHandler, attributes *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	return handler.Admit(context.Background(), attributes)
}

func affinityOf(store topologymanager.Store, pod *v1.Pod, container *v1.Container) topologymanager.TopologyHint {
	return store.GetAffinity(klog.TODO(), string(pod.UID), container.Name)
}

// GetCPUs leaves out containers that share CPUs with others of their pod, as the container manager does.
func (p cpuProvider) GetCPUs(pod *v1.Pod, container *v1.Container) []int64 {
	if p.manager == nil || p.manager.GetResourceIsolationLevel(pod, container) != isolation.ResourceIsolationContainer {
		return []int64{}
	}
	return ids(p.manager.GetExclusiveCPUs(string(pod.UID), container.Name))
}

func (p cpuProvider) GetPodCPUs(podUID string) []int64 {
	if p.manager == nil {
		return []int64{}
	}
	return ids(p.manager.GetPodCPUs(podUID))
}

func (p deviceProvider) UpdateAllocatedDevices(logger klog.Logger) {
	p.manager.UpdateAllocatedDevices(logger)
}

func (p deviceProvider) GetAllocatableDevices(logger klog.Logger) []*podresourcesv1.ContainerDevices {
	return containerDevices(p.manager.GetAllocatableDevices(logger))
}

// GetMemory leaves out containers that share memory with others of their pod, as the container manager does.
func (p memoryProvider) GetMemory(logger klog.Logger, pod *v1.Pod, container *v1.Container) []*podresourcesv1.ContainerMemory {
	if p.manager == nil || p.manager.GetResourceIsolationLevel(pod, container) != isolation.ResourceIsolationContainer {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetMemory(logger, string(pod.UID), container.Name))
}

func (p memoryProvider) GetPodMemory(_ klog.Logger, podUID string) []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetPodMemory(podUID))
}

func (p memoryProvider) GetAllocatableMemory(logger klog.Logger) []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetAllocatableMemory(logger))
}

func (noDynamicResources) GetDynamicResources(klog.Logger, *v1.Pod, *v1.Container) []*podresourcesv1.DynamicResource {
	return []*podresourcesv1.DynamicResource{}
}
