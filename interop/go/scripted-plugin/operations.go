package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// request is one line of input; plugin names which of the plugins it is for.
type request struct {
	Op     string `json:"op"`
	Plugin string `json:"plugin"`

	// serve: a socket, the options, and the first list; without one the plugin is silent. With a resource it is one for the plugin watcher, too.
	Socket    string   `json:"socket"`
	PreStart  bool     `json:"preStart"`
	Preferred bool     `json:"preferred"`
	Type      string   `json:"type"`
	Versions  []string `json:"versions"`

	// serve, send
	Devices []listed `json:"devices"`
	Many    *many    `json:"many"`

	// register
	Kubelet  string `json:"kubelet"`
	Resource string `json:"resource"`
	Version  string `json:"version"`
	Endpoint string `json:"endpoint"`

	// answer
	RPC string `json:"rpc"`
	script
}

type plugins struct {
	mutex  sync.Mutex
	byName map[string]*plugin
	socket map[string]string
}

func newPlugins() *plugins {
	return &plugins{byName: map[string]*plugin{}, socket: map[string]string{}}
}

func (p *plugins) answer(r *request) (any, error) {
	if r.Op == "serve" {
		return true, p.serve(r)
	}
	p.mutex.Lock()
	of, socket := p.byName[r.Plugin], p.socket[r.Plugin]
	p.mutex.Unlock()
	if of == nil {
		return nil, fmt.Errorf("no plugin %q serves", r.Plugin)
	}
	switch r.Op {
	case "register":
		return true, register(r, socket)
	case "send":
		of.send(r.list())
	case "answer":
		of.setScript(r.RPC, r.script)
	case "break":
		of.breakStreams()
	case "stop":
		of.server.Stop()
	case "received":
		return of.calls(), nil
	default:
		return nil, fmt.Errorf("there is no operation %q", r.Op)
	}
	return true, nil
}

func (r *request) list() []*pluginapi.Device {
	if r.Many != nil {
		return r.Many.messages()
	}
	if r.Devices == nil {
		return nil
	}
	devices := []*pluginapi.Device{}
	for _, of := range r.Devices {
		devices = append(devices, of.message())
	}
	return devices
}

// serve replaces a plugin of the same name, whose scripts and calls go with it.
func (p *plugins) serve(r *request) error {
	if r.Plugin == "" || r.Socket == "" {
		return errors.New("needed are plugin and socket")
	}
	made := newPlugin()
	made.options.PreStartRequired, made.options.GetPreferredAllocationAvailable = r.PreStart, r.Preferred
	made.info.Type, made.info.Name, made.info.SupportedVersions = r.Type, r.Resource, r.Versions
	if made.info.Type == "" {
		made.info.Type = registration.DevicePlugin
	}
	if made.info.SupportedVersions == nil {
		made.info.SupportedVersions = []string{pluginapi.Version}
	}
	made.info.Endpoint = r.Endpoint
	made.devices = r.list()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if before := p.byName[r.Plugin]; before != nil {
		before.server.Stop()
	}
	if err := made.serve(r.Socket); err != nil {
		return err
	}
	p.byName[r.Plugin], p.socket[r.Plugin] = made, r.Socket
	return nil
}

func register(r *request, socket string) error {
	version, endpoint := r.Version, r.Endpoint
	if version == "" {
		version = pluginapi.Version
	}
	if endpoint == "" {
		endpoint = filepath.Base(socket)
	}
	connection, err := grpc.NewClient("unix:"+r.Kubelet, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err = pluginapi.NewRegistrationClient(connection).Register(ctx, &pluginapi.RegisterRequest{Version: version, Endpoint: endpoint, ResourceName: r.Resource})
	return err
}
