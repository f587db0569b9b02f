// Command reference-kubelet answers the control protocol of Patchbay's embedded kubelet with Kubernetes' own code: the device, topology, CPU and memory
// managers, the plugin watcher, the node status setter and the PodResources server of k8s.io/kubernetes, without an API server, a container runtime
// or cgroups. README.md says which rules are not Kubernetes' own.
//
//	reference-kubelet [-v LEVEL]
//
// reads one JSON request per line from standard input and writes replies and events to standard output, until the input ends. It logs nothing unless
// -v is given: then klog's lines of that verbosity go to standard error.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/metrics"
	"patchbay.dev/interop/control"
)

// logNothing is below all verbosities of klog, which writes its Info lines even at 0.
const logNothing = -1

func main() {
	verbosity := flag.Int("v", logNothing, "log to standard error with this verbosity; nothing is logged by default")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "reference-kubelet: needs no argument, got %q\n", flag.Args())
		os.Exit(2)
	}
	if *verbosity == logNothing {
		klog.SetLogger(logr.Discard())
	} else {
		var klogFlags flag.FlagSet
		klog.InitFlags(&klogFlags)
		_ = klogFlags.Set("v", fmt.Sprint(*verbosity))
	}
	metrics.Register()
	wire := control.NewWire(os.Stdout)
	lives := newLives(func(podUIDs []string) { wire.Write(healthEvent{Event: "health", PodUIDs: podUIDs}) })
	exit := func(r *request) {
		if r.Op == "exit" {
			os.Exit(0)
		}
	}
	if err := control.Serve(os.Stdin, wire, lives.answer, exit); err != nil {
		fmt.Fprintln(os.Stderr, "reference-kubelet:", err)
		os.Exit(1)
	}
}
