// Command allocate calls Allocate of a device plugin many times, one call after the other, each for one device, and says how long they took.
//
//	allocate -socket /var/lib/kubelet/device-plugins/x.sock -calls 10000
//
// prints one line of JSON: {"calls":10000,"p50_us":161.2,"p99_us":471.0,"max_us":2330.5}. The devices are those that the plugin lists as healthy, in
// turn. The connection stays open, as the kubelet's does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// report is the line that is printed; all but the count in microseconds.
type report struct {
	Calls int     `json:"calls"`
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Max   float64 `json:"max_us"`
}

func reportOf(took []time.Duration) report {
	slices.Sort(took)
	at := func(rank float64) float64 {
		return float64(took[int(rank*float64(len(took)-1))].Nanoseconds()) / 1000
	}
	return report{Calls: len(took), P50: at(0.5), P99: at(0.99), Max: at(1)}
}

// healthy reads the plugin's first list.
func healthy(plugin pluginapi.DevicePluginClient) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stream, err := plugin.ListAndWatch(ctx, &pluginapi.Empty{})
	if err != nil {
		return nil, err
	}
	list, err := stream.Recv()
	if err != nil {
		return nil, fmt.Errorf("cannot read its devices: %w", err)
	}
	var ids []string
	for _, device := range list.Devices {
		if device.Health == pluginapi.Healthy {
			ids = append(ids, device.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("it lists %d devices and none that is healthy; needed is one", len(list.Devices))
	}
	return ids, nil
}

func allocate(plugin pluginapi.DevicePluginClient, id string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request := &pluginapi.AllocateRequest{ContainerRequests: []*pluginapi.ContainerAllocateRequest{{DevicesIds: []string{id}}}}
	began := time.Now()
	_, err := plugin.Allocate(ctx, request)
	if err != nil {
		return 0, fmt.Errorf("cannot allocate %s: %w", id, err)
	}
	return time.Since(began), nil
}

func run() error {
	socket := flag.String("socket", "", "the plugin's socket")
	calls := flag.Int("calls", 1000, "how many calls are counted")
	warm := flag.Int("warm", 0, "how many calls come before them")
	flag.Parse()
	if *socket == "" || *calls < 1 || flag.NArg() != 0 {
		flag.Usage()
		return errors.New("needed is -socket, flags alone, and one call or more")
	}
	connection, err := grpc.NewClient("unix:"+*socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	plugin := pluginapi.NewDevicePluginClient(connection)
	ids, err := healthy(plugin)
	if err != nil {
		return err
	}
	took := make([]time.Duration, 0, *calls)
	for i := range *warm + *calls {
		one, err := allocate(plugin, ids[i%len(ids)])
		if err != nil {
			return err
		}
		if i >= *warm {
			took = append(took, one)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(reportOf(took))
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "allocate:", err)
		os.Exit(1)
	}
}
