//go:build kubernetes_1_35 || kubernetes_1_36

package main

// What differs between minors of Kubernetes, as 1.35 and 1.36 have it.

import (
	"context"
	_ "unsafe" // for go:linkname

	cadvisor "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	kubeletsources "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/cpuset"
)

//go:linkname linkedDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func linkedDeviceManager(logger klog.Logger, socketPath string, topology []cadvisor.Node, store topologymanager.Store) (*devicemanager.ManagerImpl, error)

func newTopologyManager(topology []cadvisor.Node, policy, scope string, options map[string]string) (topologymanager.Manager, error) {
	return topologymanager.NewManager(topology, policy, scope, options)
}

func newDeviceManager(socket string, topology []cadvisor.Node, store topologymanager.Store) (*devicemanager.ManagerImpl, error) {
	return linkedDeviceManager(klog.TODO(), socket, topology, store)
}

func addHintProvider(to topologymanager.Manager, provider topologymanager.HintProvider) {
	to.AddHintProvider(klog.TODO(), provider)
}

func newCPUManager(policy string, options map[string]string, machine *cadvisor.MachineInfo, reserved cpuset.CPUSet, reservation v1.ResourceList, state string, store topologymanager.Store) (cpumanager.Manager, error) {
	return cpumanager.NewManager(klog.TODO(), policy, options, reconcilePeriod, machine, reserved, reservation, state, store)
}

func newMemoryManager(policy string, machine *cadvisor.MachineInfo, reservation v1.ResourceList, reserved []kubeletconfig.MemoryReservation, state string, store topologymanager.Store) (memorymanager.Manager, error) {
	return memorymanager.NewManager(klog.TODO(), policy, machine, reservation, reserved, state, store)
}

func startCPUManager(manager cpumanager.Manager, pods *knownPods, sources kubeletsources.SourcesReady, runtime noRuntime, containers containermap.ContainerMap) error {
	return manager.Start(context.Background(), pods.GetActivePods, sources, pods, runtime, containers)
}

func startMemoryManager(manager memorymanager.Manager, pods *knownPods, sources kubeletsources.SourcesReady, runtime noRuntime, containers containermap.ContainerMap) error {
	return manager.Start(context.Background(), pods.GetActivePods, sources, pods, runtime, containers)
}

func startDeviceManager(manager *devicemanager.ManagerImpl, active devicemanager.ActivePodsFunc, sources kubeletsources.SourcesReady, containers containermap.ContainerMap, running sets.Set[string]) error {
	return manager.Start(klog.TODO(), active, sources, containers, running)
}

func stopDeviceManager(manager *devicemanager.ManagerImpl) error { return manager.Stop(klog.TODO()) }

func runPluginManager(manager pluginmanager.PluginManager, sources kubeletsources.SourcesReady, stops <-chan struct{}) {
	manager.Run(context.Background(), sources, stops)
}

func newMachineSetter(node string, maxPods int, machine *cadvisor.MachineInfo, reservation v1.ResourceList, devices *devicemanager.ManagerImpl) nodestatus.Setter {
	return nodestatus.MachineInfo(node, maxPods, 0,
		func() (*cadvisor.MachineInfo, error) { return machine, nil },
		func(bool) v1.ResourceList { return nil },
		devices.GetCapacity,
		func() v1.ResourceList { return reservation },
		func(string, string, string) {},
		false)
}

func newPredicates(node func(context.Context) (*v1.Node, error), update func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error) lifecycle.PodAdmitHandler {
	return lifecycle.NewPredicateAdmitHandler(
		func(ctx context.Context, _ bool) (*v1.Node, error) { return node(ctx) },
		lifecycle.NewAdmissionFailureHandlerStub(),
		update)
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

func containerStart(ctx context.Context, devices *devicemanager.ManagerImpl, pod *v1.Pod, container *v1.Container) (*devicemanager.DeviceRunContainerOptions, error) {
	return devices.GetDeviceRunContainerOptions(ctx, pod, container)
}

func admitBy(handler lifecycle.PodAdmitHandler, attributes *lifecycle.PodAdmitAttributes) lifecycle.PodAdmitResult {
	return handler.Admit(attributes)
}

func affinityOf(store topologymanager.Store, pod *v1.Pod, container *v1.Container) topologymanager.TopologyHint {
	return store.GetAffinity(string(pod.UID), container.Name)
}

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

type deviceProvider struct{ manager *devicemanager.ManagerImpl }

func (p deviceProvider) UpdateAllocatedDevices() { p.manager.UpdateAllocatedDevices() }

func (p deviceProvider) GetDevices(podUID, container string) []*podresourcesv1.ContainerDevices {
	return containerDevices(p.manager.GetDevices(podUID, container))
}

func (p deviceProvider) GetAllocatableDevices() []*podresourcesv1.ContainerDevices {
	return containerDevices(p.manager.GetAllocatableDevices())
}

type memoryProvider struct{ manager memorymanager.Manager }

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

type noDynamicResources struct{}

func (noDynamicResources) GetDynamicResources(*v1.Pod, *v1.Container) []*podresourcesv1.DynamicResource {
	return []*podresourcesv1.DynamicResource{}
}
