package main

import (
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
)

// private is a field of a Kubernetes struct that has no accessor. It panics when there is none of that name and type any more.
func private[T any](of reflect.Value, name string) *T {
	field := of.FieldByName(name)
	if !field.IsValid() || field.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("%v has no field %s of type %v", of.Type(), name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}

// endpoint is the struct behind the interface value that the device manager keeps for a resource.
func endpoint(manager reflect.Value, resource string) (reflect.Value, bool) {
	entry := manager.FieldByName("endpoints").MapIndex(reflect.ValueOf(resource))
	if !entry.IsValid() {
		return reflect.Value{}, false
	}
	return entry.FieldByName("e").Elem().Elem(), true
}

// ageEndpoint moves the time at which a resource's endpoint stopped into the past.
func ageEndpoint(devices *devicemanager.ManagerImpl, resource string, by time.Duration) error {
	manager := reflect.ValueOf(devices).Elem()
	mutex := private[sync.Mutex](manager, "mutex")
	mutex.Lock()
	defer mutex.Unlock()
	of, known := endpoint(manager, resource)
	if !known {
		return fmt.Errorf("there is no endpoint of %q", resource)
	}
	own := private[sync.Mutex](of, "mutex")
	own.Lock()
	defer own.Unlock()
	stopped := private[time.Time](of, "stopTime")
	if stopped.IsZero() {
		return fmt.Errorf("the endpoint of %q has not stopped", resource)
	}
	*stopped = stopped.Add(-by)
	return nil
}

// deviceSets tells how many ids the device manager's sets have for a resource; -1: it has no such set.
type deviceSets struct {
	All       int  `json:"all"`
	Healthy   int  `json:"healthy"`
	Unhealthy int  `json:"unhealthy"`
	Allocated int  `json:"allocated"`
	Endpoint  bool `json:"endpoint"`
	Stopped   bool `json:"stopped"`
}

func setsOf(devices *devicemanager.ManagerImpl, resource string) deviceSets {
	manager := reflect.ValueOf(devices).Elem()
	mutex := private[sync.Mutex](manager, "mutex")
	mutex.Lock()
	defer mutex.Unlock()
	size := func(name string) int {
		set, known := (*private[map[string]sets.Set[string]](manager, name))[resource]
		if !known {
			return -1
		}
		return len(set)
	}
	answer := deviceSets{All: -1, Healthy: size("healthyDevices"), Unhealthy: size("unhealthyDevices"), Allocated: size("allocatedDevices")}
	if all, known := (*private[devicemanager.ResourceDeviceInstances](manager, "allDevices"))[resource]; known {
		answer.All = len(all)
	}
	if of, known := endpoint(manager, resource); known {
		answer.Endpoint = true
		own := private[sync.Mutex](of, "mutex")
		own.Lock()
		answer.Stopped = !private[time.Time](of, "stopTime").IsZero()
		own.Unlock()
	}
	return answer
}
