package main

import "k8s.io/utils/cpuset"

func ids(cpus cpuset.CPUSet) []int64 {
	ids := make([]int64, 0, cpus.Size())
	for _, id := range cpus.UnsortedList() {
		ids = append(ids, int64(id))
	}
	return ids
}
