package main

import (
	"fmt"
)

const (
	defaultCPUsPerNode   = 4
	defaultMemoryPerNode = 8 << 30
	distanceToItself     = 10
	distanceToOthers     = 20
)

// machine is what cAdvisor would report.
func (c config) machine() (*machineInfo, error) {
	nodes := c.Topology
	if len(nodes) == 0 {
		regular := regularMachine{}
		if c.Numa != nil {
			regular = *c.Numa
		}
		var err error
		if nodes, err = regular.topology(); err != nil {
			return nil, err
		}
	}
	for i := range nodes {
		nodes[i].Memory = orElse(nodes[i].Memory, defaultMemoryPerNode)
	}
	machine := &machineInfo{Topology: nodes, MachineID: "reference", SystemUUID: "reference", BootID: "reference"}
	sockets := map[int]bool{}
	pages := map[uint64]uint64{}
	for _, node := range nodes {
		machine.MemoryCapacity += node.Memory
		machine.NumPhysicalCores += len(node.Cores)
		for _, core := range node.Cores {
			machine.NumCores += len(core.Threads)
			sockets[core.SocketID] = true
		}
		for _, size := range node.HugePages {
			pages[size.PageSize] += size.NumPages
		}
	}
	machine.NumSockets = len(sockets)
	for size, count := range pages {
		machine.HugePages = append(machine.HugePages, hugePages{PageSize: size, NumPages: count})
	}
	return machine, nil
}

// topology numbers the CPUs node by node; each is a core of its own, each node a socket.
func (r regularMachine) topology() ([]machineNode, error) {
	count := orElse(r.Nodes, 1)
	perNode := orElse(r.CPUsPerNode, defaultCPUsPerNode)
	if len(r.Distances) > 0 && len(r.Distances) != count*count {
		return nil, fmt.Errorf("numa.distances has %d numbers; needed are %d for %d nodes, row by row", len(r.Distances), count*count, count)
	}
	nodes := make([]machineNode, count)
	for id := range nodes {
		nodes[id] = machineNode{Id: id, Memory: orElse(r.Memory, defaultMemoryPerNode), Distances: r.distancesOf(id, count)}
		for core := range perNode {
			thread := id*perNode + core
			nodes[id].Cores = append(nodes[id].Cores, machineCore{Id: thread, Threads: []int{thread}, SocketID: id})
		}
	}
	return nodes, nil
}

func (r regularMachine) distancesOf(node, count int) []uint64 {
	if len(r.Distances) > 0 {
		return r.Distances[node*count : (node+1)*count]
	}
	row := make([]uint64, count)
	for other := range row {
		row[other] = distanceToOthers
	}
	row[node] = distanceToItself
	return row
}
