// Command sample-plugin is a device plugin around the stub that the kubelet's own module exports, as its sample device plugin is.
//
//	sample-plugin -resource a.b/toy -device toy0=/dev/toy0 -device toy1=/dev/toy1
//
// It runs until it is killed. The stub waits ten seconds after a new kubelet.sock before it registers again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/klog/v2"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	plugin "k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/plugin/v1beta1"
)

// sample is a resource: its devices in their order, and the nodes of those that have one.
type sample struct {
	devices []*pluginapi.Device
	nodes   map[string]string
}

func (s *sample) add(id, node string) {
	s.devices = append(s.devices, &pluginapi.Device{ID: id, Health: pluginapi.Healthy})
	if node != "" {
		s.nodes[id] = node
	}
}

// allocate gives each container the nodes of its devices, under their own paths, and a variable that names the devices.
func (s *sample) allocate(request *pluginapi.AllocateRequest, known map[string]*pluginapi.Device) (*pluginapi.AllocateResponse, error) {
	response := &pluginapi.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		answer := &pluginapi.ContainerAllocateResponse{
			Envs: map[string]string{"SAMPLE_DEVICES": strings.Join(container.DevicesIds, ",")},
		}
		for _, id := range container.DevicesIds {
			if _, found := known[id]; !found {
				return nil, fmt.Errorf("there is no device %q", id)
			}
			if node, found := s.nodes[id]; found {
				answer.Devices = append(answer.Devices, &pluginapi.DeviceSpec{
					ContainerPath: filepath.Join("/dev", filepath.Base(node)), HostPath: node, Permissions: "rw"})
			}
		}
		response.ContainerResponses = append(response.ContainerResponses, answer)
	}
	return response, nil
}

func run() error {
	s := &sample{nodes: map[string]string{}}
	resource := flag.String("resource", "", "the resource's name, such as a.b/toy")
	dir := flag.String("dir", strings.TrimSuffix(pluginapi.DevicePluginPath, "/"), "where kubelet.sock is")
	count := flag.Int("count", 0, "that many devices more, sample-0 and so on, without nodes")
	quiet := flag.Bool("quiet", false, "log nothing; otherwise each call")
	flag.Func("device", "ID or ID=NODE: a device, and the device node that a container gets with it; may be repeated", func(value string) error {
		id, node, _ := strings.Cut(value, "=")
		s.add(id, node)
		return nil
	})
	flag.Parse()
	if *resource == "" || flag.NArg() != 0 {
		flag.Usage()
		return errors.New("needed is -resource, and flags alone")
	}
	for i := range *count {
		s.add(fmt.Sprintf("sample-%d", i), "")
	}
	if *quiet {
		klog.LogToStderr(false)
		klog.SetOutput(io.Discard)
	}

	socket := filepath.Join(*dir, "sample-"+strings.ReplaceAll(*resource, "/", "_")+".sock")
	kubelet := filepath.Join(*dir, "kubelet.sock")
	stub := plugin.NewDevicePluginStub(klog.Background(), s.devices, socket, *resource, false, false)
	stub.SetAllocFunc(s.allocate)
	if err := stub.Start(context.Background()); err != nil {
		return err
	}
	// The stub watches the directory from its start: a kubelet that comes later is seen below.
	if _, err := os.Stat(kubelet); err == nil {
		if err := stub.Register(context.Background(), kubelet, *resource, ""); err != nil {
			return err
		}
	}
	stub.Watch(context.Background(), kubelet, *resource, "")
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sample-plugin:", err)
		os.Exit(1)
	}
}
