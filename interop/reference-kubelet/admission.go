package main

import (
	v1 "k8s.io/api/core/v1"
	qos "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

// verdict is the answer to `admit`.
type verdict struct {
	UID     string `json:"uid"`
	Admit   bool   `json:"admit"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// admit makes a pod known and then asks the kubelet's handlers in their order: the topology manager, which has the resources allocated, then the node's
// predicates. A refused pod stays known and has failed, as the kubelet's rejectPod has it.
func (k *kubelet) admit(pod *v1.Pod, withPredicates bool) verdict {
	k.admissions.Lock()
	defer k.admissions.Unlock()
	k.pods.add(pod)
	attributes := addAttributes(pod, k.othersThan(pod))
	handlers := lifecycle.PodAdmitHandlers{k.topology}
	if withPredicates {
		handlers.AddPodAdmitHandler(k.predicates)
	}
	for _, handler := range handlers {
		if result := admitBy(handler, attributes); !result.Admit {
			k.pods.end(pod, v1.PodStatus{
				QOSClass: qos.GetPodQOS(pod),
				Phase:    v1.PodFailed,
				Reason:   result.Reason,
				Message:  "Pod was rejected: " + result.Message,
			})
			return verdict{UID: string(pod.UID), Reason: result.Reason, Message: result.Message}
		}
	}
	return verdict{UID: string(pod.UID), Admit: true}
}

func (k *kubelet) othersThan(pod *v1.Pod) []*v1.Pod {
	var others []*v1.Pod
	for _, other := range k.pods.GetActivePods() {
		if other.UID != pod.UID {
			others = append(others, other)
		}
	}
	return others
}
