package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// call is what a kubelet asked.
type call struct {
	RPC       string   `json:"rpc"`
	IDs       []string `json:"ids,omitempty"`
	Available []string `json:"available,omitempty"`
	Must      []string `json:"must,omitempty"`
	Size      int32    `json:"size,omitempty"`
	Error     string   `json:"error,omitempty"` // of NotifyRegistrationStatus
}

// script is how the next calls of an RPC are answered.
type script struct {
	Response allocateResponse `json:"response"`
	IDs      []string         `json:"ids"`     // of GetPreferredAllocation
	Empty    bool             `json:"empty"`   // no container response
	Error    string           `json:"error"`   // instead of an answer
	DelayMs  int              `json:"delayMs"` // before either
}

// plugin serves both kubelet APIs of a plugin on one socket.
type plugin struct {
	pluginapi.UnimplementedDevicePluginServer
	registration.UnimplementedRegistrationServer

	options pluginapi.DevicePluginOptions
	info    registration.PluginInfo // for the plugin watcher
	server  *grpc.Server

	mutex    sync.Mutex
	scripts  map[string]script
	received []call
	devices  []*pluginapi.Device
	changed  chan struct{} // closed and replaced with each new list
	broken   chan struct{} // closed when the streams of this moment are to end
}

func newPlugin() *plugin {
	return &plugin{scripts: map[string]script{}, changed: make(chan struct{}), broken: make(chan struct{})}
}

// serve returns when the socket is there.
func (p *plugin) serve(socket string) error {
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	p.server = grpc.NewServer()
	pluginapi.RegisterDevicePluginServer(p.server, p)
	registration.RegisterRegistrationServer(p.server, p)
	go func() { _ = p.server.Serve(listener) }() // returns when it is stopped
	return nil
}

func (p *plugin) send(devices []*pluginapi.Device) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.devices = devices
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *plugin) breakStreams() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	close(p.broken)
	p.broken = make(chan struct{})
}

func (p *plugin) setScript(rpc string, to script) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.scripts[rpc] = to
}

// calls answers with what came since it was asked before.
func (p *plugin) calls() []call {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	calls := p.received
	p.received = nil
	return append([]call{}, calls...)
}

// note returns the script for a call, after its delay.
func (p *plugin) note(ctx context.Context, of call) (script, error) {
	p.mutex.Lock()
	p.received = append(p.received, of)
	script := p.scripts[of.RPC]
	p.mutex.Unlock()
	select {
	case <-time.After(time.Duration(script.DelayMs) * time.Millisecond):
	case <-ctx.Done():
		return script, ctx.Err()
	}
	if script.Error != "" {
		return script, errors.New(script.Error)
	}
	return script, nil
}

// GetDevicePluginOptions and the following are v1beta1.DevicePlugin.
func (p *plugin) GetDevicePluginOptions(ctx context.Context, _ *pluginapi.Empty) (*pluginapi.DevicePluginOptions, error) {
	if _, err := p.note(ctx, call{RPC: "GetDevicePluginOptions"}); err != nil {
		return nil, err
	}
	return &pluginapi.DevicePluginOptions{PreStartRequired: p.options.PreStartRequired, GetPreferredAllocationAvailable: p.options.GetPreferredAllocationAvailable}, nil
}

func (p *plugin) ListAndWatch(_ *pluginapi.Empty, stream grpc.ServerStreamingServer[pluginapi.ListAndWatchResponse]) error {
	if _, err := p.note(stream.Context(), call{RPC: "ListAndWatch"}); err != nil {
		return err
	}
	p.mutex.Lock()
	broken := p.broken
	p.mutex.Unlock()
	for {
		p.mutex.Lock()
		devices, changed := p.devices, p.changed
		p.mutex.Unlock()
		if devices != nil { // a plugin that was given no list yet is silent
			if err := stream.Send(&pluginapi.ListAndWatchResponse{Devices: devices}); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-broken:
			return errors.New("told to break the stream")
		case <-stream.Context().Done():
			return nil
		}
	}
}

func (p *plugin) GetPreferredAllocation(ctx context.Context, request *pluginapi.PreferredAllocationRequest) (*pluginapi.PreferredAllocationResponse, error) {
	answer := &pluginapi.PreferredAllocationResponse{}
	for _, of := range request.ContainerRequests {
		script, err := p.note(ctx, call{RPC: "GetPreferredAllocation", Available: slices.Sorted(slices.Values(of.AvailableDeviceIDs)), Must: slices.Sorted(slices.Values(of.MustIncludeDeviceIDs)), Size: of.AllocationSize})
		if err != nil {
			return nil, err
		}
		if !script.Empty {
			answer.ContainerResponses = append(answer.ContainerResponses, &pluginapi.ContainerPreferredAllocationResponse{DeviceIDs: script.IDs})
		}
	}
	return answer, nil
}

func (p *plugin) Allocate(ctx context.Context, request *pluginapi.AllocateRequest) (*pluginapi.AllocateResponse, error) {
	answer := &pluginapi.AllocateResponse{}
	for _, of := range request.ContainerRequests {
		ids := slices.Sorted(slices.Values(of.DevicesIds))
		script, err := p.note(ctx, call{RPC: "Allocate", IDs: ids})
		if err != nil {
			return nil, err
		}
		if !script.Empty {
			answer.ContainerResponses = append(answer.ContainerResponses, script.Response.message(ids))
		}
	}
	return answer, nil
}

func (p *plugin) PreStartContainer(ctx context.Context, request *pluginapi.PreStartContainerRequest) (*pluginapi.PreStartContainerResponse, error) {
	if _, err := p.note(ctx, call{RPC: "PreStartContainer", IDs: slices.Sorted(slices.Values(request.DevicesIds))}); err != nil {
		return nil, err
	}
	return &pluginapi.PreStartContainerResponse{}, nil
}

// GetInfo and NotifyRegistrationStatus are pluginregistration.v1.Registration.
func (p *plugin) GetInfo(ctx context.Context, _ *registration.InfoRequest) (*registration.PluginInfo, error) {
	if _, err := p.note(ctx, call{RPC: "GetInfo"}); err != nil {
		return nil, err
	}
	return &registration.PluginInfo{Type: p.info.Type, Name: p.info.Name, Endpoint: p.info.Endpoint, SupportedVersions: p.info.SupportedVersions}, nil
}

func (p *plugin) NotifyRegistrationStatus(ctx context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	if _, err := p.note(ctx, call{RPC: "NotifyRegistrationStatus", Error: status.Error}); err != nil {
		return nil, err
	}
	return &registration.RegistrationStatusResponse{}, nil
}

// allocateResponse is v1beta1's ContainerAllocateResponse.
type allocateResponse struct {
	Envs        map[string]string       `json:"envs"`
	Mounts      []*pluginapi.Mount      `json:"mounts"`
	Devices     []*pluginapi.DeviceSpec `json:"devices"`
	Annotations map[string]string       `json:"annotations"`
	CDIDevices  []string                `json:"cdiDevices"`
}

// message has the ids in the place of {ids}, comma-separated, in each value of envs.
func (r allocateResponse) message(ids []string) *pluginapi.ContainerAllocateResponse {
	answer := &pluginapi.ContainerAllocateResponse{Envs: map[string]string{}, Mounts: r.Mounts, Devices: r.Devices, Annotations: r.Annotations}
	for name, value := range r.Envs {
		answer.Envs[name] = strings.ReplaceAll(value, "{ids}", strings.Join(ids, ","))
	}
	for _, name := range r.CDIDevices {
		answer.CdiDevices = append(answer.CdiDevices, &pluginapi.CDIDevice{Name: name})
	}
	return answer
}

// listed is a device as it is told.
type listed struct {
	ID        string  `json:"id"`
	Unhealthy bool    `json:"unhealthy"`
	Nodes     []int64 `json:"nodes"`
}

func (l listed) message() *pluginapi.Device {
	device := &pluginapi.Device{ID: l.ID, Health: pluginapi.Healthy}
	if l.Unhealthy {
		device.Health = pluginapi.Unhealthy
	}
	if l.Nodes != nil {
		device.Topology = &pluginapi.TopologyInfo{}
		for _, node := range l.Nodes {
			device.Topology.Nodes = append(device.Topology.Nodes, &pluginapi.NUMANode{ID: node})
		}
	}
	return device
}

// many are as many devices, dealt out to nodes in turn; none of them has a node when there are no nodes. unhealthy of them are so.
type many struct {
	Count     int    `json:"count"`
	Nodes     int    `json:"nodes"`
	Prefix    string `json:"prefix"`
	Unhealthy int    `json:"unhealthy"`
}

func (m many) messages() []*pluginapi.Device {
	devices := make([]*pluginapi.Device, m.Count)
	for i := range devices {
		of := listed{ID: fmt.Sprintf("%s%05d", m.Prefix, i), Unhealthy: i < m.Unhealthy}
		if m.Nodes > 0 {
			of.Nodes = []int64{int64(i % m.Nodes)}
		}
		devices[i] = of.message()
	}
	return devices
}
