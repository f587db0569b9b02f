//go:build !kubernetes_1_34

package main

// What 1.34 has otherwise: most functions have a logger and a context.

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
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

func newDeviceManager(socket string, topology []machineNode, store topologymanager.Store) (*devicemanager.ManagerImpl, error) {
	return linkedDeviceManager(klog.TODO(), socket, topology, store)
}

func addHintProvider(to topologymanager.Manager, provider topologymanager.HintProvider) {
	to.AddHintProvider(klog.TODO(), provider)
}

func newCPUManager(policy string, options map[string]string, machine *machineInfo, reserved cpuset.CPUSet, reservation v1.ResourceList, state string, store topologymanager.Store) (cpumanager.Manager, error) {
	return cpumanager.NewManager(klog.TODO(), policy, options, reconcilePeriod, machine, reserved, reservation, state, store)
}

func newMemoryManager(policy string, machine *machineInfo, reservation v1.ResourceList, reserved []kubeletconfig.MemoryReservation, state string, store topologymanager.Store) (memorymanager.Manager, error) {
	return memorymanager.NewManager(klog.TODO(), policy, machine, reservation, reserved, state, store)
}

func startCPUManager(manager cpumanager.Manager, pods *knownPods, sources kubeletsources.SourcesReady, runtime noRuntime, containers containermap.ContainerMap) error {
	return manager.Start(context.Background(), pods.GetActivePods, sources, pods, runtime, containers)
}

func startDeviceManager(manager *devicemanager.ManagerImpl, active devicemanager.ActivePodsFunc, sources kubeletsources.SourcesReady, containers containermap.ContainerMap, running sets.Set[string]) error {
	return manager.Start(klog.TODO(), active, sources, containers, running)
}

func stopDeviceManager(manager *devicemanager.ManagerImpl) error { return manager.Stop(klog.TODO()) }

func runPluginManager(manager pluginmanager.PluginManager, sources kubeletsources.SourcesReady, stops <-chan struct{}) {
	manager.Run(context.Background(), sources, stops)
}

func newPredicates(node func(context.Context) (*v1.Node, error), update func(*schedulerframework.NodeInfo, *lifecycle.PodAdmitAttributes) error) lifecycle.PodAdmitHandler {
	return lifecycle.NewPredicateAdmitHandler(
		func(ctx context.Context, _ bool) (*v1.Node, error) { return node(ctx) },
		lifecycle.NewAdmissionFailureHandlerStub(),
		update)
}

func containerStart(ctx context.Context, devices *devicemanager.ManagerImpl, pod *v1.Pod, container *v1.Container) (*devicemanager.DeviceRunContainerOptions, error) {
	return devices.GetDeviceRunContainerOptions(ctx, pod, container)
}
