package main

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

const nodeName = "reference"

// nodeStatus is the node as the kubelet would report it: one object for one life of the kubelet, brought up to date by the kubelet's own setter whenever
// somebody looks.
type nodeStatus struct {
	mutex  sync.Mutex
	node   *v1.Node
	update nodestatus.Setter
}

func newNodeStatus(machine *machineInfo, maxPods int, reservation v1.ResourceList, devices *devicemanager.ManagerImpl) *nodeStatus {
	labels := map[string]string{v1.LabelHostname: nodeName, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64"}
	return &nodeStatus{
		node:   &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName, Labels: labels}},
		update: newMachineSetter(nodeName, maxPods, machine, reservation, devices),
	}
}

func (n *nodeStatus) refreshed(ctx context.Context) (*v1.Node, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if err := n.update(ctx, n.node); err != nil {
		return nil, err
	}
	return n.node.DeepCopy(), nil
}
