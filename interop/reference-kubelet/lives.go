package main

import (
	"errors"
	"fmt"
	"os"
	"sync"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// lives are the kubelets of this process, one after the other. A request that waits for a plugin keeps no other waiting, not even the next start.
type lives struct {
	health func(podUIDs []string)

	// changes lets one start, restart or stop happen at a time; mutex guards what requests read meanwhile.
	changes sync.Mutex
	mutex   sync.RWMutex
	current *kubelet
	pods    *knownPods
	last    *config
	gates   map[string]bool // as they were before the first change of ours
}

func newLives(health func(podUIDs []string)) *lives {
	return &lives{health: health, gates: map[string]bool{}}
}

func (l *lives) answer(r *request) (any, error) {
	switch r.Op {
	case "start", "restart":
		return l.start(r)
	case "stop":
		l.stop()
		return true, nil
	case "exit":
		return true, nil
	case "metrics":
		return metricsWith(r.Prefix)
	case "rss":
		return residentMemory()
	}
	operation, known := operations[r.Op]
	if !known {
		return nil, fmt.Errorf("there is no operation %q", r.Op)
	}
	l.mutex.RLock()
	k := l.current
	l.mutex.RUnlock()
	if k == nil {
		return nil, errors.New("no kubelet was started")
	}
	return operation(k, r)
}

// start begins a new life over the pods that are known. A start forgets them first, a restart does not.
func (l *lives) start(r *request) (any, error) {
	l.changes.Lock()
	defer l.changes.Unlock()
	config, err := l.configOf(r)
	if err != nil {
		return nil, err
	}
	l.end()
	if r.Op == "start" {
		l.pods = newKnownPods()
	}
	if err := l.setGates(config.FeatureGates); err != nil {
		return nil, err
	}
	for _, text := range config.Pods {
		pod, err := readPod(text)
		if err != nil {
			return nil, err
		}
		l.pods.manager.AddPod(pod)
	}
	started, err := startKubelet(*config, l.pods, l.health)
	if err != nil {
		return nil, err
	}
	l.last = config
	l.mutex.Lock()
	l.current = started
	l.mutex.Unlock()
	return map[string]int{"pid": os.Getpid()}, nil
}

// configOf a restart may be the last one, whose pods are known already or have gone since.
func (l *lives) configOf(r *request) (*config, error) {
	switch {
	case r.Op == "restart" && l.last == nil:
		return nil, errors.New("there was no start before")
	case r.Config != nil:
		return r.Config, nil
	case r.Op == "restart":
		last := *l.last
		last.Pods = nil
		return &last, nil
	default:
		return nil, errors.New("needed is config")
	}
}

func (l *lives) stop() {
	l.changes.Lock()
	defer l.changes.Unlock()
	l.end()
}

func (l *lives) end() {
	l.mutex.Lock()
	ending := l.current
	l.mutex.Unlock()
	if ending != nil {
		ending.stop()
	}
}

// setGates undoes what an earlier life had set: the gates are the process's.
func (l *lives) setGates(wanted map[string]bool) error {
	gates := map[string]bool{}
	for name, was := range l.gates {
		gates[name] = was
	}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for name, enabled := range wanted {
		for gate := range known {
			if _, kept := l.gates[name]; !kept && string(gate) == name {
				l.gates[name] = utilfeature.DefaultFeatureGate.Enabled(gate)
			}
		}
		gates[name] = enabled
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(gates)
}
