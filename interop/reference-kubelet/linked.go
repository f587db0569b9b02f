package main

// What Kubernetes does not export is linked by name here. The compiler does not compare these declarations with what they name: a wrong one
// corrupts memory. A test compares them with the module's source. linked.s is empty and has to be there: with it the compiler lets
// functions have no body.

import (
	_ "unsafe" // for go:linkname

	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	_ "k8s.io/kubernetes/pkg/kubelet/cm" // what is linked has to be in the program
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	memorystate "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

// containerDevices is how the container manager shows devices in PodResources. The same from 1.34 to 1.37.
//
//go:linkname containerDevices k8s.io/kubernetes/pkg/kubelet/cm.containerDevicesFromResourceDeviceInstances
func containerDevices(devices devicemanager.ResourceDeviceInstances) []*podresourcesv1.ContainerDevices

// containerMemory is how it shows memory. The same from 1.34 to 1.37.
//
//go:linkname containerMemory k8s.io/kubernetes/pkg/kubelet/cm.containerMemoryFromBlock
func containerMemory(blocks []memorystate.Block) []*podresourcesv1.ContainerMemory
