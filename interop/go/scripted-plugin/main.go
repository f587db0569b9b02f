// Command scripted-plugin is as many device plugins as it is told to be, on any sockets, and does what it is told: it lists, registers, answers, refuses,
// waits, breaks its stream, and says what it was asked. It takes JSON lines as package control has them; the operations are those of operations.go.
//
//	{"id":1,"op":"serve","plugin":"a","socket":"/dir/a.sock","devices":[{"id":"0","nodes":[0]}],"preferred":true}
//	{"id":2,"op":"register","plugin":"a","kubelet":"/dir/kubelet.sock","resource":"a.b/c"}
//	{"id":3,"op":"answer","plugin":"a","rpc":"Allocate","response":{"envs":{"A":"1"}}}
//	{"id":4,"op":"received","plugin":"a"}
//
// A plugin ignores that its socket is removed and its stream ends, as the kubelet's own restarts do both: tell it to serve and register again.
package main

import (
	"fmt"
	"os"

	"patchbay.dev/interop/control"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr, "scripted-plugin: needs no argument, got %q\n", os.Args[1:])
		os.Exit(2)
	}
	plugins := newPlugins()
	if err := control.Serve(os.Stdin, control.NewWire(os.Stdout), plugins.answer, func(*request) {}); err != nil {
		fmt.Fprintln(os.Stderr, "scripted-plugin:", err)
		os.Exit(1)
	}
}
