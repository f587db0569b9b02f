//go:build kubernetes_1_34

package main

// What 1.34 alone has: most functions had no logger and no context yet.

import (
	"context"
	_ "unsafe" // for go:linkname

	cadvisor "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	kubeletsources "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/cpuset"
)

//go:linkname linkedDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func linkedDeviceManager(socketPath string, topology []cadvisor.Node, store topologymanager.Store) (*devicemanager.ManagerImpl, error)

func newDeviceManager(socket string, topology []machineNode, store topologymanager.Store) (*devicemanager.ManagerImpl, error) {
	return linkedDeviceManager(socket, topology, store)
}

func addHintProvider(to topologymanager.Manager, provider topologymanager.HintProvider) {
	to.AddHintProvider(provider)
}

func newCPUManager(policy string, options map[string]string, machine *machineInfo, reserved cpuset.CPUSet, reservation v1.ResourceList, state string, store topologymanager.Store) (cpumanager.Manager, error) {
	return cpumanager.NewManager(policy, options, reconcilePeriod, machine, reserved, reservation, state, store)
}

func newMemoryManager(policy string, machine *machineInfo, reservation v1.ResourceList, reserved []kubeletconfig.MemoryReservation, state string, store topologymanager.Store) (memorymanager.Manager, error) {
	return memorymanager.NewManager(context.Background(), policy, machine, reservation, reserved, state, store)
}

func startCPUManager(manager cpumanager.Manager, pods *knownPods, sources kubeletsources.SourcesReady, runtime noRuntime, containers containermap.ContainerMap) error {
	return manager.Start(pods.GetActivePods, sources, pods, runtime, containers)
}

func startDeviceManager(manager *devicemanager.ManagerImpl, active devicemanager.ActivePodsFunc, sources kubeletsources.SourcesReady, containers containermap.ContainerMap, running sets.Set[string]) error {
	return manager.Start(active, sources, containers, running)
}

func stopDeviceManager(manager *devicemanager.ManagerImpl) error { return manager.Stop() }

func runPluginManager(manager pluginmanager.PluginManager, sources kubeletsources.SourcesReady, stops <-chan struct{}) {
	manager.Run(sources, stops)
}

func newPredicates(node func(context.Context) (*v1.Node, error), update func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error) lifecycle.PodAdmitHandler {
	return lifecycle.NewPredicateAdmitHandler(
		func() (*v1.Node, error) { return node(context.Background()) },
		lifecycle.NewAdmissionFailureHandlerStub(),
		update)
}

func containerStart(_ context.Context, devices *devicemanager.ManagerImpl, pod *v1.Pod, container *v1.Container) (*devicemanager.DeviceRunContainerOptions, error) {
	return devices.GetDeviceRunContainerOptions(pod, container)
}

func (p memoryProvider) GetMemory(podUID, container string) []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetMemory(context.Background(), podUID, container))
}

func (p memoryProvider) GetAllocatableMemory() []*podresourcesv1.ContainerMemory {
	if p.manager == nil {
		return []*podresourcesv1.ContainerMemory{}
	}
	return containerMemory(p.manager.GetAllocatableMemory(context.Background()))
}
