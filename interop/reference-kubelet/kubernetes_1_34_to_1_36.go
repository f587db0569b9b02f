//go:build kubernetes_1_34 || kubernetes_1_35 || kubernetes_1_36

package main

// What 1.37 has otherwise: fewer loggers and contexts, and PodResources does not know pods' own CPUs and memory.

import (
	v1 "k8s.io/api/core/v1"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

func newTopologyManager(topology []machineNode, policy, scope string, options map[string]string) (topologymanager.Manager, error) {
	return topologymanager.NewManager(topology, policy, scope, options)
}

func newMachineSetter(node string, maxPods int, machine *machineInfo, reservation v1.ResourceList, devices *devicemanager.ManagerImpl) nodestatus.Setter {
	return nodestatus.MachineInfo(node, maxPods, 0,
		func() (*machineInfo, error) { return machine, nil },
		func(bool) v1.ResourceList { return nil },
		devices.GetCapacity,
		func() v1.ResourceList { return reservation },
		func(string, string, string) {},
		false)
}

func deviceCapacity(devices *devicemanager.ManagerImpl) (v1.ResourceList, v1.ResourceList, []string) {
	return devices.GetCapacity()
}

func freeEndedPods(devices *devicemanager.ManagerImpl) { devices.UpdateAllocatedDevices() }

func updateAllocatedResources(devices *devicemanager.ManagerImpl, pod *v1.Pod, status *v1.PodStatus) {
	devices.UpdateAllocatedResourcesStatus(pod, status)
}

func podHints(of topologymanager.HintProvider, pod *v1.Pod) map[string][]topologymanager.TopologyHint {
	return of.GetPodTopologyHints(pod)
}

func containerHints(of topologymanager.HintProvider, pod *v1.Pod, container *v1.Container) map[string][]topologymanager.TopologyHint {
	return of.GetTopologyHints(pod, container)
}

func admitBy(handler lifecycle.PodAdmitHandler, attributes *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	return handler.Admit(attributes)
}

func affinityOf(store topologymanager.Store, pod *v1.Pod, container *v1.Container) topologymanager.TopologyHint {
	return store.GetAffinity(string(pod.UID), container.Name)
}

func (p cpuProvider) GetCPUs(podUID, container string) []int64 {
	if p.manager == nil {
		return []int64{}
	}
	return ids(p.manager.GetExclusiveCPUs(podUID, container))
}

func (p deviceProvider) UpdateAllocatedDevices() { p.manager.UpdateAllocatedDevices() }

func (p deviceProvider) GetAllocatableDevices() []*podresourcesv1.ContainerDevices {
	return containerDevices(p.manager.GetAllocatableDevices())
}

func (noDynamicResources) GetDynamicResources(*v1.Pod, *v1.Container) []*podresourcesv1.DynamicResource {
	return []*podresourcesv1.DynamicResource{}
}
