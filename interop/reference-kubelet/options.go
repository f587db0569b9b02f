package main

import (
	"context"

	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// containerOptions is what a container gets, under Kubernetes' own names; of a mount what the device manager sets.
type containerOptions struct {
	Devices     []kubecontainer.DeviceInfo
	Mounts      []mount
	Envs        []kubecontainer.EnvVar
	Annotations []kubecontainer.Annotation
	CDIDevices  []cdiDevice
}

type mount struct {
	Name          string
	HostPath      string
	ContainerPath string
	ReadOnly      bool
}

type cdiDevice struct{ Name string }

func optionsOf(options *devicemanager.DeviceRunContainerOptions) containerOptions {
	answer := containerOptions{
		Devices:     append([]kubecontainer.DeviceInfo{}, options.Devices...),
		Mounts:      []mount{},
		Envs:        append([]kubecontainer.EnvVar{}, options.Envs...),
		Annotations: append([]kubecontainer.Annotation{}, options.Annotations...),
		CDIDevices:  []cdiDevice{},
	}
	for _, of := range options.Mounts {
		answer.Mounts = append(answer.Mounts, mount{Name: of.Name, HostPath: of.HostPath, ContainerPath: of.ContainerPath, ReadOnly: of.ReadOnly})
	}
	for _, of := range options.CDIDevices {
		answer.CDIDevices = append(answer.CDIDevices, cdiDevice{Name: of.Name})
	}
	return answer
}

// runOptions asks as the kubelet does when it starts a container, PreStartContainer included.
func runOptions(k *kubelet, r *request) (any, error) {
	pod, err := k.pods.find(r)
	if err != nil {
		return nil, err
	}
	container, err := k.containerOf(pod, r.Container)
	if err != nil {
		return nil, err
	}
	options, err := containerStart(context.Background(), k.devices, pod, container)
	if err != nil || options == nil {
		return nil, err
	}
	return optionsOf(options), nil
}
