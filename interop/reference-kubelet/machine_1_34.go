//go:build kubernetes_1_34 || kubernetes_1_35 || kubernetes_1_36

package main

import cadvisor "github.com/google/cadvisor/info/v1"

type (
	machineInfo = cadvisor.MachineInfo
	machineNode = cadvisor.Node
	machineCore = cadvisor.Core
	hugePages   = cadvisor.HugePagesInfo
)
