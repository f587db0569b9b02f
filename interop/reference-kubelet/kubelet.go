package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	pluginregistration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	kubeletsources "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager"
	"k8s.io/kubernetes/pkg/kubelet/pluginmanager/cache"
)

// reconcilePeriod is so long because there are no containers to reconcile, and what it would free at its own time has `gc` here.
const reconcilePeriod = 24 * time.Hour

// kubelet is one life of the kubelet's managers, wired as its container manager wires them.
type kubelet struct {
	config  config
	machine *machineInfo
	pods    *knownPods

	topology topologymanager.Manager
	devices  *devicemanager.ManagerImpl
	cpus     cpumanager.Manager    // nil without a state directory
	memory   memorymanager.Manager // likewise
	node     *nodeStatus

	// The kubelet admits its pods one after the other.
	admissions sync.Mutex
	predicates lifecycle.PodAdmitHandler

	sources      kubeletsources.SourcesReady
	sourcesReady atomic.Bool

	// stops is closed at the end of this life; stopped waits for what ends then.
	stops   chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// startKubelet returns a kubelet whose registration socket is there. health is called with the pods of devices whose health has changed.
func startKubelet(c config, pods *knownPods, health func([]string)) (*kubelet, error) {
	machine, err := c.machine()
	if err != nil {
		return nil, err
	}
	k := &kubelet{config: c, machine: machine, pods: pods, stops: make(chan struct{})}
	k.sourcesReady.Store(!c.SourcesPending)
	k.sources = kubeletsources.NewSourcesReady(func(sets.Set[string]) bool { return k.sourcesReady.Load() })
	if err := k.wire(); err != nil {
		return nil, err
	}
	if err := k.start(health); err != nil {
		k.stop()
		return nil, err
	}
	return k, nil
}

// wire makes the managers in the order of the container manager, which is the order of their hints.
func (k *kubelet) wire() error {
	var err error
	if k.topology, err = newTopologyManager(k.machine.Topology, orElse(k.config.Policy, topologymanager.PolicyNone), orElse(k.config.Scope, "container"), k.config.PolicyOptions); err != nil {
		return fmt.Errorf("topology manager: %w", err)
	}
	if k.devices, err = newDeviceManager(k.config.kubeletSocket(), k.machine.Topology, k.topology); err != nil {
		return fmt.Errorf("device manager: %w", err)
	}
	addHintProvider(k.topology, k.devices)
	reservation, err := k.config.reservation()
	if err != nil {
		return err
	}
	if k.config.State != "" {
		if err := k.wireCPUsAndMemory(reservation); err != nil {
			return err
		}
	} else if k.config.CPUPolicy != "" && k.config.CPUPolicy != string(cpumanager.PolicyNone) {
		return fmt.Errorf("cpuPolicy %s needs a state directory", k.config.CPUPolicy)
	}
	k.node = newNodeStatus(k.machine, orElse(k.config.MaxPods, 110), reservation, k.devices)
	k.predicates = newPredicates(k.node.refreshed, k.devices.UpdatePluginResources)
	return nil
}

func (k *kubelet) wireCPUsAndMemory(reservation v1.ResourceList) error {
	reservedCPUs, err := k.config.reservedCPUs()
	if err != nil {
		return err
	}
	cpuPolicy := orElse(k.config.CPUPolicy, string(cpumanager.PolicyNone))
	if k.cpus, err = newCPUManager(cpuPolicy, k.config.CPUPolicyOptions, k.machine, reservedCPUs, reservation, k.config.State, k.topology); err != nil {
		return fmt.Errorf("CPU manager: %w", err)
	}
	addHintProvider(k.topology, k.cpus)
	if k.memory, err = newMemoryManager(orElse(k.config.MemoryPolicy, "None"), k.machine, reservation, k.config.ReservedMemory, k.config.State, k.topology); err != nil {
		return fmt.Errorf("memory manager: %w", err)
	}
	addHintProvider(k.topology, k.memory)
	return nil
}

func (k *kubelet) start(health func([]string)) error {
	containers, running := reported(k.config.Containers)
	if k.cpus != nil {
		if err := startCPUManager(k.cpus, k.pods, k.sources, noRuntime{}, containers.Clone()); err != nil {
			return fmt.Errorf("CPU manager: %w", err)
		}
		if err := startMemoryManager(k.memory, k.pods, k.sources, noRuntime{}, containers.Clone()); err != nil {
			return fmt.Errorf("memory manager: %w", err)
		}
	}
	if err := startDeviceManager(k.devices, k.pods.GetActivePods, k.sources, containers, running); err != nil {
		return fmt.Errorf("device manager: %w", err)
	}
	k.run(func() { k.reportHealth(health) })
	if k.config.PodResources != "" {
		if err := k.servePodResources(); err != nil {
			return fmt.Errorf("PodResources: %w", err)
		}
	}
	if k.config.Registry != "" {
		// The watcher makes it too, but at a time of its own, and a plugin may come first.
		if err := os.MkdirAll(k.config.Registry, 0o755); err != nil {
			return err
		}
		plugins := pluginmanager.NewPluginManager(k.config.Registry, record.NewFakeRecorder(100))
		plugins.AddHandler(pluginregistration.DevicePlugin, cache.PluginHandler(k.devices.GetWatcherHandler()))
		k.run(func() { runPluginManager(plugins, k.sources, k.stops) })
	}
	return nil
}

// run is for what ends after stops is closed.
func (k *kubelet) run(task func()) {
	k.stopped.Add(1)
	go func() {
		defer k.stopped.Done()
		task()
	}()
}

func (k *kubelet) reportHealth(health func([]string)) {
	for {
		select {
		case update := <-k.devices.Updates():
			health(update.PodUIDs)
		case <-k.stops:
			return
		}
	}
}

// stop ends streams and sockets, which the real kubelet leaves to the end of its process.
func (k *kubelet) stop() {
	k.once.Do(func() {
		close(k.stops)
		_ = stopDeviceManager(k.devices) // it always returns nil
		k.stopped.Wait()
	})
}

func (k *kubelet) containerOf(pod *v1.Pod, container string) (*v1.Container, error) {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if containers[i].Name == container {
				return &containers[i], nil
			}
		}
	}
	if container == "" {
		return nil, errors.New("which container? needed is its name")
	}
	return nil, fmt.Errorf("pod %s/%s has no container %q", pod.Namespace, pod.Name, container)
}

// reported is what the kubelet would have learnt from its container runtime.
func reported(containers []reportedContainer) (containermap.ContainerMap, sets.Set[string]) {
	known := containermap.NewContainerMap()
	running := sets.New[string]()
	for _, container := range containers {
		known.Add(container.PodUID, container.Name, container.ID)
		if container.Running {
			running.Insert(container.ID)
		}
	}
	return known, running
}

// noRuntime is the container runtime of a kubelet that runs no containers.
type noRuntime struct{}

func (noRuntime) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return errors.New("there is no container runtime")
}
