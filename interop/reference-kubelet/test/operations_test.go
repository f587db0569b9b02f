package test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

var (
	kubeletPath = flag.String("kubelet", "", "the reference kubelet")
	pluginPath  = flag.String("plugin", "", "the scripted plugin")
)

const toy = "a.b/toy"

// bench is a kubelet of two NUMA nodes and a plugin with two devices on each, 00000 and 00002 on node 0.
type bench struct {
	t       *testing.T
	dir     string
	config  args
	kubelet *process
	plugin  *process
}

func newBench(t *testing.T, more args) *bench {
	t.Helper()
	if *kubeletPath == "" || *pluginPath == "" {
		t.Fatal("needed are -kubelet and -plugin")
	}
	dir, err := os.MkdirTemp("/tmp", "rk") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &bench{t: t, dir: dir, kubelet: start(t, *kubeletPath), plugin: start(t, *pluginPath)}
	b.config = args{"dir": dir + "/dp", "policy": "best-effort", "numa": args{"nodes": 2}, "featureGates": args{"ResourceHealthStatus": true}}
	for key, value := range more {
		b.config[key] = value
	}
	get[map[string]int](b.kubelet, "start", args{"config": b.config})
	return b
}

func (b *bench) register() {
	b.t.Helper()
	b.plugin.do("serve", args{"plugin": "p", "socket": b.dir + "/dp/p.sock", "preStart": true, "many": args{"count": 4, "nodes": 2}})
	b.plugin.do("answer", args{"plugin": "p", "rpc": "Allocate", "response": args{
		"envs":       args{"IDS": "{ids}"},
		"devices":    []args{{"host_path": "/dev/null", "container_path": "/dev/toy", "permissions": "rw"}},
		"mounts":     []args{{"host_path": "/h", "container_path": "/m", "read_only": true}},
		"cdiDevices": []string{"a.b/toy=0"}, "annotations": args{"a": "b"},
	}})
	b.plugin.do("register", args{"plugin": "p", "kubelet": b.dir + "/dp/kubelet.sock", "resource": toy})
	b.awaitAllocatable(4)
}

type capacity struct {
	Capacity, Allocatable map[string]int
	Removed               []string
}

func (b *bench) awaitAllocatable(count int) {
	b.t.Helper()
	await(b.kubelet, "capacity", nil, func(c capacity) bool { return c.Allocatable[toy] == count })
}

type verdict struct {
	UID             string
	Admit           bool
	Reason, Message string
}

func pod(name string, limits args) args {
	return args{"metadata": args{"name": name}, "spec": args{"containers": []args{{"name": "main", "resources": args{"limits": limits}}}}}
}

func (b *bench) admit(name string, limits args) verdict {
	b.t.Helper()
	return get[verdict](b.kubelet, "admit", args{"pod": pod(name, limits)})
}

func same(t *testing.T, what string, got, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("%s is %v; wanted is %v", what, got, wanted)
	}
}

type hint struct {
	Mask      []int
	Preferred bool
}

type options struct {
	Devices     []struct{ PathOnHost, PathInContainer, Permissions string }
	Mounts      []struct{ HostPath, ContainerPath string }
	Envs        []struct{ Name, Value string }
	Annotations []struct{ Name, Value string }
	CDIDevices  []struct{ Name string }
}

func TestAPodIsAdmittedAndStarted(t *testing.T) {
	b := newBench(t, nil)
	same(t, "health", get[string](b.kubelet, "health", nil), "ok")
	b.register()
	asked := args{"pod": pod("a", args{toy: "2"}), "container": "main"}
	wanted := []hint{{[]int{0}, true}, {[]int{1}, true}, {[]int{0, 1}, false}}
	same(t, "hints", get[map[string][]hint](b.kubelet, "hints", asked), map[string][]hint{toy: wanted})
	delete(asked, "container")
	same(t, "the pod's hints", get[map[string][]hint](b.kubelet, "hints", asked), map[string][]hint{toy: wanted})

	same(t, "verdict", b.admit("a", args{toy: "2"}), verdict{UID: "default-a", Admit: true})
	same(t, "affinity", get[hint](b.kubelet, "affinity", args{"name": "a", "container": "main"}), hint{[]int{0}, true})
	given := get[options](b.kubelet, "options", args{"uid": "default-a", "container": "main"})
	same(t, "variable", given.Envs[0].Value, "00000,00002")
	same(t, "device", given.Devices[0].PathInContainer, "/dev/toy")
	same(t, "mount", given.Mounts[0].HostPath, "/h")
	same(t, "annotation", given.Annotations[0].Name, "a")
	same(t, "CDI device", given.CDIDevices[0].Name, "a.b/toy=0")
	var calls []string
	for _, call := range get[[]struct{ RPC string }](b.plugin, "received", args{"plugin": "p"}) {
		calls = append(calls, call.RPC)
	}
	same(t, "calls", calls, []string{"GetDevicePluginOptions", "ListAndWatch", "Allocate", "PreStartContainer"})
	if text := get[string](b.kubelet, "checkpoint", nil); !strings.Contains(text, `"DeviceIDs":{"0":["0000`) {
		t.Errorf("checkpoint: %s", text)
	}
	counted := get[map[string]float64](b.kubelet, "metrics", args{"prefix": "kubelet_device_plugin"})
	same(t, "observed allocations", counted["kubelet_device_plugin_alloc_duration_seconds,resource_name=a.b/toy"], 1.0)
	if memory := get[map[string]int](b.kubelet, "rss", nil); memory["rssKiB"] <= 0 || memory["peakKiB"] < memory["rssKiB"] {
		t.Errorf("rss: %v", memory)
	}
}

func TestARefusedPodHasFailed(t *testing.T) {
	b := newBench(t, nil)
	b.register()
	refused := b.admit("a", args{toy: "5"})
	same(t, "reason", refused.Reason, "UnexpectedAdmissionError")
	status := get[struct{ Phase, Message string }](b.kubelet, "podStatus", args{"name": "a"})
	same(t, "phase", status.Phase, "Failed")
	same(t, "message", status.Message, "Pod was rejected: "+refused.Message)
	same(t, "predicates", b.admit("b", args{"cpu": "100"}).Reason, "OutOfcpu")
	same(t, "without predicates", get[verdict](b.kubelet, "admit", args{"pod": pod("c", args{"cpu": "100"}), "predicates": false}).Admit, true)
}

type sets struct {
	All, Healthy, Unhealthy, Allocated int
	Endpoint, Stopped                  bool
}

func TestWhatEndedPodsHeldIsFreed(t *testing.T) {
	b := newBench(t, nil)
	b.register()
	b.admit("a", args{toy: "2"})
	b.admit("b", args{toy: "1"})
	held := func() int { return get[sets](b.kubelet, "sets", args{"resource": toy}).Allocated }
	same(t, "held", held(), 3)
	b.kubelet.do("end", args{"name": "a", "phase": "Succeeded"})
	b.kubelet.do("sources", args{"ready": false})
	b.kubelet.do("gc", nil)
	same(t, "held while sources are pending", held(), 3)
	b.kubelet.do("sources", args{"ready": true})
	b.kubelet.do("gc", nil)
	same(t, "held after an end", held(), 1)
	b.kubelet.do("remove", args{"name": "b"})
	b.kubelet.do("gc", nil)
	same(t, "held after a removal", held(), -1)
}

func TestHealthIsTold(t *testing.T) {
	b := newBench(t, nil)
	b.register()
	b.admit("a", args{toy: "4"})
	b.plugin.do("send", args{"plugin": "p", "many": args{"count": 4, "nodes": 2, "unhealthy": 3}})
	same(t, "event", (<-b.kubelet.events).PodUIDs, []string{"default-a"})
	same(t, "node", get[capacity](b.kubelet, "node", nil).Capacity[toy], 4)
	same(t, "node", get[capacity](b.kubelet, "node", nil).Allocatable[toy], 1)
	text := string(b.kubelet.ask("podStatus", args{"name": "a"}).OK)
	same(t, "unhealthy devices", strings.Count(text, `"health":"Unhealthy"`), 3)
}

func TestAnEndpointAgesAfterItsStreamBroke(t *testing.T) {
	b := newBench(t, nil)
	b.register()
	if of := b.kubelet.ask("age", args{"resource": toy, "seconds": 1}); of.Error == "" {
		t.Error("an endpoint that has not stopped ages")
	}
	b.plugin.do("break", args{"plugin": "p"})
	b.awaitAllocatable(0)
	await(b.kubelet, "sets", args{"resource": toy}, func(s sets) bool { return s.Stopped })
	b.kubelet.do("age", args{"resource": toy, "seconds": 299})
	same(t, "capacity within the grace period", get[capacity](b.kubelet, "capacity", nil).Capacity[toy], 4)
	b.kubelet.do("age", args{"resource": toy, "seconds": 2})
	same(t, "removed after it", get[capacity](b.kubelet, "capacity", nil).Removed, []string{toy})
}

func TestARestartKeepsPodsAndCheckpoint(t *testing.T) {
	b := newBench(t, nil)
	same(t, "a new node's extended resources are reset", get[bool](b.kubelet, "shouldReset", nil), false) // kubelet.sock is there
	b.register()
	b.admit("a", args{toy: "1"})
	again := args{}
	for key, value := range b.config {
		again[key] = value
	}
	again["sourcesPending"] = true
	again["containers"] = []args{{"podUID": "default-a", "name": "main", "id": "1", "running": true}}
	get[map[string]int](b.kubelet, "restart", args{"config": again})
	same(t, "sets", get[sets](b.kubelet, "sets", args{"resource": toy}), sets{All: -1, Allocated: 1, Endpoint: true, Stopped: true})
	same(t, "a running container", get[verdict](b.kubelet, "admit", args{"name": "a"}).Admit, true)
	same(t, "another", b.admit("b", args{toy: "1"}).Message, "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices a.b/toy, which is unexpected")
	b.kubelet.do("stop", nil)
	if _, err := os.Stat(b.dir + "/dp/kubelet.sock"); !os.IsNotExist(err) {
		t.Errorf("the socket of a stopped kubelet: %v", err)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	b := newBench(t, nil)
	b.register()
	b.admit("a", args{toy: "2"})
	b.plugin.do("send", args{"plugin": "p", "devices": []args{{"id": "other", "nodes": []int{1}}}})
	b.awaitAllocatable(1)
	of := b.kubelet.ask("admit", args{"name": "a"})
	if !of.Panic || !strings.Contains(of.At, "devicemanager") {
		t.Errorf("admitted again without its devices: %+v", of)
	}
}

func TestPodResourcesAndCPUs(t *testing.T) {
	b := newBench(t, nil)
	b.config["podResources"] = filepath.Join(b.dir, "pr", "kubelet.sock")
	b.config["state"], b.config["cpuPolicy"], b.config["reservedCPUs"] = b.dir+"/state", "static", "0"
	if err := os.Mkdir(b.dir+"/state", 0o755); err != nil {
		t.Fatal(err)
	}
	get[map[string]int](b.kubelet, "restart", args{"config": b.config})
	b.register()
	same(t, "verdict", b.admit("a", args{toy: "1", "cpu": "2", "memory": "1Mi"}).Admit, true)
	connection, err := grpc.NewClient("unix:"+b.dir+"/pr/kubelet.sock", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	list, err := podresources.NewPodResourcesListerClient(connection).List(context.Background(), &podresources.ListPodResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	of := list.PodResources[0].Containers[0]
	same(t, "devices", len(of.Devices[0].DeviceIds), 1)
	same(t, "CPUs", slices.Sorted(slices.Values(of.CpuIds)), []int64{1, 2})
}

func TestThePluginWatcherFindsAPlugin(t *testing.T) {
	b := newBench(t, nil)
	b.config["registry"] = b.dir + "/registry"
	get[map[string]int](b.kubelet, "restart", args{"config": b.config})
	socket := b.dir + "/registry/p.sock"
	b.plugin.do("serve", args{"plugin": "p", "socket": socket, "resource": toy, "endpoint": socket, "many": args{"count": 3}})
	b.awaitAllocatable(3)
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	b := newBench(t, nil)
	for op, with := range map[string]args{"nonsense": nil, "start": nil, "options": {"name": "unknown", "container": "main"}, "end": {"pod": pod("a", nil), "phase": "Running"}} {
		if of := b.kubelet.ask(op, with); of.Error == "" || of.Panic {
			t.Errorf("%s is answered by %+v", op, of)
		}
	}
	noID := make(chan reply, 1)
	b.kubelet.mutex.Lock()
	b.kubelet.waiting[0] = noID
	b.kubelet.mutex.Unlock()
	if _, err := b.kubelet.in.Write([]byte("[]\n")); err != nil {
		t.Fatal(err)
	}
	if of := <-noID; of.Error == "" {
		t.Errorf("a line that is no request is answered by %+v", of)
	}
}
