//go:build kubernetes_1_37

package main

import cadvisor "github.com/google/cadvisor/lib/model"

type (
	machineInfo = cadvisor.MachineInfo
	machineNode = cadvisor.Node
	machineCore = cadvisor.Core
	hugePages   = cadvisor.HugePagesInfo
)
