package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/utils/cpuset"
)

// config is what `start` and `restart` take; the zero value of each key is its default. The last block is not in the protocol: what the kubelet's own
// configuration has beside it.
type config struct {
	Dir          string `json:"dir"`
	Registry     string `json:"registry"`
	PodResources string `json:"podResources"`
	State        string `json:"state"`

	Policy        string            `json:"policy"`
	Scope         string            `json:"scope"`
	PolicyOptions map[string]string `json:"policyOptions"`

	Numa     *regularMachine `json:"numa"`
	Topology []machineNode   `json:"topology"`

	CPUPolicy    string          `json:"cpuPolicy"`
	ReservedCPUs string          `json:"reservedCPUs"`
	FeatureGates map[string]bool `json:"featureGates"`

	SourcesPending bool                `json:"sourcesPending"`
	Containers     []reportedContainer `json:"containers"`
	Pods           []json.RawMessage   `json:"pods"`

	CPUPolicyOptions map[string]string                 `json:"cpuPolicyOptions"`
	MemoryPolicy     string                            `json:"memoryPolicy"`
	ReservedMemory   []kubeletconfig.MemoryReservation `json:"reservedMemory"`
	MaxPods          int                               `json:"maxPods"`
}

// regularMachine has equal nodes.
type regularMachine struct {
	Nodes       int      `json:"nodes"`
	CPUsPerNode int      `json:"cpusPerNode"`
	Memory      uint64   `json:"memory"`
	Distances   []uint64 `json:"distances"`
}

// reportedContainer is one that the container runtime knows when the kubelet starts.
type reportedContainer struct {
	PodUID  string `json:"podUID"`
	Name    string `json:"name"`
	ID      string `json:"id"`
	Running bool   `json:"running"`
}

func orElse[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

func (c config) kubeletSocket() string {
	if c.Dir == "" {
		return pluginapi.KubeletSocket
	}
	return filepath.Join(c.Dir, filepath.Base(pluginapi.KubeletSocket))
}

// deviceDir ends with a slash, as upstream's constant does.
func (c config) deviceDir() string { return filepath.Dir(c.kubeletSocket()) + "/" }

func (c config) reservedCPUs() (cpuset.CPUSet, error) {
	set, err := cpuset.Parse(c.ReservedCPUs)
	if err != nil {
		return set, fmt.Errorf("reservedCPUs is no list of CPUs: %w", err)
	}
	return set, nil
}

// reservation is what the kubelet keeps of the node for itself and the system: reservedCPUs decide its CPUs alone, as in the kubelet's own configuration.
func (c config) reservation() (v1.ResourceList, error) {
	reserved := v1.ResourceList{}
	cpus, err := c.reservedCPUs()
	if err != nil {
		return nil, err
	}
	if cpus.Size() > 0 {
		reserved[v1.ResourceCPU] = *resource.NewQuantity(int64(cpus.Size()), resource.DecimalSI)
	}
	for _, node := range c.ReservedMemory {
		for name, bytes := range node.Limits {
			sum := reserved[name]
			sum.Add(bytes)
			reserved[name] = sum
		}
	}
	return reserved, nil
}
