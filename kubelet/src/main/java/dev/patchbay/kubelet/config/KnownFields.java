package dev.patchbay.kubelet.config;

import java.util.Set;

/// Fields of `KubeletConfiguration` that have no effect here: of Kubernetes 1.34 to 1.36
/// (`staging/src/k8s.io/kubelet/config/v1beta1/types.go`).
final class KnownFields {
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          """
          address allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS
          clusterDNS clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles
          containerLogMaxSize containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint
          contentType cpuCFSQuota cpuCFSQuotaPeriod cpuManagerReconcilePeriod crashLoopBackOff
          enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
          enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler
          enableSystemLogQuery enforceNodeAllocatable eventBurst eventRecordQPS evictionMaxPodGracePeriod
          evictionMinimumReclaim evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod
          failCgroupV1 failSwapOn fileCheckFrequency hairpinMode healthzBindAddress healthzPort
          httpCheckFrequency imageGCHighThresholdPercent imageGCLowThresholdPercent imageMaximumGCAge
          imageMinimumGCAge imagePullCredentialsVerificationPolicy imageServiceEndpoint iptablesDropBit
          iptablesMasqueradeBit kernelMemcgNotification kubeAPIBurst kubeAPIQPS kubeReservedCgroup
          kubeletCgroups localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles
          maxParallelImagePulls memoryReservationPolicy memorySwap memoryThrottlingFactor
          nodeLeaseDurationSeconds nodeStatusMaxImages nodeStatusReportFrequency nodeStatusUpdateFrequency
          oomScoreAdj podCIDR podLogsDir podPidsLimit port preloadedImagesVerificationAllowlist
          protectKernelDefaults providerID qosReserved readOnlyPort registerNode registerWithTaints
          registryBurst registryPullQPS resolvConf rotateCertificates runOnce runtimeRequestTimeout
          seccompDefault serializeImagePulls serverTLSBootstrap showHiddenMetricsForVersion
          shutdownGracePeriod shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods
          singleProcessOOMKill staticPodPath staticPodURL staticPodURLHeader
          streamingConnectionIdleTimeout syncFrequency systemCgroups systemReservedCgroup tlsCertFile
          tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile tracing userNamespaces
          volumePluginDir volumeStatsAggPeriod\
          """
              .split("\\s+"));

  private KnownFields() {}

  /// Whether a kubelet has this field, and it changes nothing about devices.
  static boolean haveNoEffect(String field) {
    return WITHOUT_EFFECT.contains(field);
  }
}
