package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	podmanager "k8s.io/kubernetes/pkg/kubelet/pod"
)

// knownPods are the pods that the kubelet has heard of, with what it has decided about them itself. They outlive a restart. They are in Kubernetes' pod
// manager; whether one is active is a rule of ours after the kubelet's: it is, until it has a terminal phase, by the API or by the kubelet's own word.
type knownPods struct {
	manager podmanager.Manager

	mutex sync.RWMutex
	ended map[types.UID]v1.PodStatus
}

func newKnownPods() *knownPods {
	return &knownPods{manager: podmanager.NewBasicPodManager(), ended: map[types.UID]v1.PodStatus{}}
}

// readPod takes a pod with or without apiVersion and kind, and fills in what the API server would have.
func readPod(text json.RawMessage) (*v1.Pod, error) {
	pod := &v1.Pod{}
	if err := json.Unmarshal(text, pod); err != nil {
		return nil, fmt.Errorf("this is no pod: %w", err)
	}
	if pod.Name == "" {
		return nil, errors.New("a pod needs metadata.name")
	}
	pod.Namespace = orElse(pod.Namespace, "default")
	pod.UID = orElse(pod.UID, types.UID(pod.Namespace+"-"+pod.Name))
	defaults.SetObjectDefaults_Pod(pod)
	return pod, nil
}

// find answers for the pod of a request: the given one, or the known one with that uid or name.
func (p *knownPods) find(r *request) (*v1.Pod, error) {
	if len(r.Pod) > 0 {
		return readPod(r.Pod)
	}
	if r.UID != "" {
		if pod, known := p.manager.GetPodByUID(types.UID(r.UID)); known {
			return pod, nil
		}
		return nil, fmt.Errorf("no pod with uid %q is known", r.UID)
	}
	namespace := orElse(r.Namespace, "default")
	if r.Name != "" {
		if pod, known := p.manager.GetPodByName(namespace, r.Name); known {
			return pod, nil
		}
		return nil, fmt.Errorf("no pod %s/%s is known", namespace, r.Name)
	}
	return nil, errors.New("which pod? needed is pod, uid, or name")
}

// add makes a pod known; one that had ended is a new one then.
func (p *knownPods) add(pod *v1.Pod) {
	p.manager.AddPod(pod)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.ended, pod.UID)
}

func (p *knownPods) remove(pod *v1.Pod) {
	p.manager.RemovePod(pod)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.ended, pod.UID)
}

func (p *knownPods) end(pod *v1.Pod, status v1.PodStatus) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ended[pod.UID] = status
}

// endedStatus is the kubelet's own word about a pod's end.
func (p *knownPods) endedStatus(pod *v1.Pod) (v1.PodStatus, bool) {
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	status, ended := p.ended[pod.UID]
	return status, ended
}

func isTerminal(phase v1.PodPhase) bool { return phase == v1.PodSucceeded || phase == v1.PodFailed }

func (p *knownPods) isActive(pod *v1.Pod) bool {
	_, ended := p.endedStatus(pod)
	return !ended && !isTerminal(pod.Status.Phase)
}

// GetActivePods, GetPods and GetPodByName are what the PodResources server asks for. By its name, as in the kubelet, only an active pod is found.
func (p *knownPods) GetActivePods() []*v1.Pod {
	var active []*v1.Pod
	for _, pod := range p.manager.GetPods() {
		if p.isActive(pod) {
			active = append(active, pod)
		}
	}
	return active
}

func (p *knownPods) GetPods() []*v1.Pod { return p.manager.GetPods() }

func (p *knownPods) GetPodByName(namespace, name string) (*v1.Pod, bool) {
	pod, known := p.manager.GetPodByName(namespace, name)
	if !known || !p.isActive(pod) {
		return nil, false
	}
	return pod, true
}

// GetPodStatus is what the CPU and memory managers ask for when they reconcile running containers, of which there are none here.
func (p *knownPods) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }
