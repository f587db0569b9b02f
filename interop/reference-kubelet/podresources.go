package main

import (
	"context"

	"google.golang.org/grpc"
	"k8s.io/cri-client/pkg/util"
	podresourcesv1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubelet/pkg/apis/podresources/v1alpha1"
	apisgrpc "k8s.io/kubernetes/pkg/kubelet/apis/grpc"
	"k8s.io/kubernetes/pkg/kubelet/apis/podresources"
)

// servePodResources does as the kubelet's ListenAndServePodResources, which cannot be stopped and ends the process on an error.
func (k *kubelet) servePodResources() error {
	listener, err := util.CreateListener("unix://" + k.config.PodResources)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	providers := podresources.PodResourcesProviders{
		Pods:             k.pods,
		Devices:          deviceProvider{k.devices},
		Cpus:             cpuProvider{k.cpus},
		Memory:           memoryProvider{k.memory},
		DynamicResources: noDynamicResources{},
	}
	server := grpc.NewServer(apisgrpc.WithRateLimiter(ctx, "podresources", podresources.DefaultQPS, podresources.DefaultBurstTokens))
	v1alpha1.RegisterPodResourcesListerServer(server, podresources.NewV1alpha1PodResourcesServer(providers))
	podresourcesv1.RegisterPodResourcesListerServer(server, podresources.NewV1PodResourcesServer(ctx, providers))
	k.run(func() { _ = server.Serve(listener) }) // returns when it is stopped
	k.run(func() {
		<-k.stops
		server.Stop()
		cancel()
	})
	return nil
}
