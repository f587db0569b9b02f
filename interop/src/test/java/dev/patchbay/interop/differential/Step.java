package dev.patchbay.interop.differential;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/// One event of a sequence. A step whose subject is not there any more (a plugin that is down, a
/// pod that is gone) does nothing, so that any part of a sequence is a sequence.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "step")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Step.PluginUp.class, name = "plugin-up"),
  @JsonSubTypes.Type(value = Step.PluginList.class, name = "plugin-list"),
  @JsonSubTypes.Type(value = Step.PluginOver.class, name = "plugin-over"),
  @JsonSubTypes.Type(value = Step.PluginDown.class, name = "plugin-down"),
  @JsonSubTypes.Type(value = Step.PluginRefuses.class, name = "plugin-refuses"),
  @JsonSubTypes.Type(value = Step.PluginPrefersNothing.class, name = "plugin-prefers-nothing"),
  @JsonSubTypes.Type(value = Step.Admit.class, name = "admit"),
  @JsonSubTypes.Type(value = Step.AdmitAgain.class, name = "admit-again"),
  @JsonSubTypes.Type(value = Step.Remove.class, name = "remove"),
  @JsonSubTypes.Type(value = Step.End.class, name = "end"),
  @JsonSubTypes.Type(value = Step.StartContainers.class, name = "start-containers"),
  @JsonSubTypes.Type(value = Step.CollectGarbage.class, name = "gc"),
  @JsonSubTypes.Type(value = Step.AskPodResources.class, name = "pod-resources"),
  @JsonSubTypes.Type(value = Step.Restart.class, name = "restart"),
  @JsonSubTypes.Type(value = Step.SourcesReady.class, name = "sources-ready"),
  @JsonSubTypes.Type(value = Step.GracePeriodEnds.class, name = "grace-period-ends"),
})
sealed interface Step {
  /// A plugin serves, registers and lists; one that is up for this resource ends before.
  ///
  /// @param prefers whether it offers GetPreferredAllocation
  /// @param prepares whether it wants PreStartContainer
  /// @param watched whether the kubelet has to find it in `plugins_registry`
  record PluginUp(
      String resource,
      boolean prefers,
      boolean prepares,
      boolean watched,
      List<PlannedDevice> devices)
      implements Step {}

  /// Another plugin of the resource registers and lists while the one that is up still streams.
  record PluginOver(String resource, boolean prefers, List<PlannedDevice> devices)
      implements Step {}

  /// The plugin sends a full list: health changed, devices came or went.
  record PluginList(String resource, List<PlannedDevice> devices) implements Step {}

  /// The plugin ends.
  record PluginDown(String resource) implements Step {}

  /// The plugin refuses each Allocate from now on, or no longer.
  record PluginRefuses(String resource, boolean refuses) implements Step {}

  /// The plugin fails in each GetPreferredAllocation from now on, or no longer.
  record PluginPrefersNothing(String resource, boolean fails) implements Step {}

  /// A new pod asks to run.
  ///
  /// @param hints whether the hints for it are asked for before
  record Admit(PodPlan pod, boolean hints) implements Step {}

  /// A known pod asks again, as after the kubelet's restart.
  record AdmitAgain(String pod) implements Step {}

  /// The pod is deleted.
  record Remove(String pod) implements Step {}

  /// The pod ended and is still known.
  record End(String pod, String phase) implements Step {}

  /// Its containers are started: what does each get?
  record StartContainers(String pod) implements Step {}

  /// What ended pods held becomes free.
  record CollectGarbage() implements Step {}

  /// All methods of the PodResources service are called.
  record AskPodResources() implements Step {}

  /// The kubelet restarts; plugins end with it.
  ///
  /// @param killed as by `kill -9`, else in the same process
  /// @param sourcesPending whether pods have to be awaited afterwards
  /// @param containers what is reported of the containers of admitted pods
  /// @param exchange whether each side goes on with the other's checkpoint
  record Restart(boolean killed, boolean sourcesPending, Reported containers, boolean exchange)
      implements Step {}

  /// What the container runtime says of containers when the kubelet starts.
  enum Reported {
    /// The kubelet's restart: all of them run.
    RUN,
    /// Every second one does.
    SOME_RUN,
    /// The node's reboot: they are there and none runs.
    ENDED,
    /// The runtime does not answer, or knows none.
    UNKNOWN;

    boolean isRunning(int index) {
      return this == RUN || (this == SOME_RUN && index % 2 == 0);
    }
  }

  /// All sources of pods have reported.
  record SourcesReady() implements Step {}

  /// More than five minutes pass for the stopped endpoint of a resource.
  record GracePeriodEnds(String resource) implements Step {}

  /// The same with less in it.
  default List<Step> simpler() {
    return switch (this) {
      case Admit(var pod, var hints) -> {
        List<Step> all = new java.util.ArrayList<>();
        if (hints) all.add(new Admit(pod, false));
        pod.simpler().forEach(each -> all.add(new Admit(each, hints)));
        yield all;
      }
      case PluginUp(var resource, var prefers, var prepares, var watched, var devices) -> {
        List<Step> all = new java.util.ArrayList<>();
        if (prepares) all.add(new PluginUp(resource, prefers, false, watched, devices));
        if (watched) all.add(new PluginUp(resource, prefers, prepares, false, devices));
        fewer(devices)
            .forEach(each -> all.add(new PluginUp(resource, prefers, prepares, watched, each)));
        yield all;
      }
      case PluginOver(var resource, var prefers, var devices) ->
          fewer(devices).stream()
              .<Step>map(each -> new PluginOver(resource, prefers, each))
              .toList();
      case PluginList(var resource, var devices) ->
          fewer(devices).stream().<Step>map(each -> new PluginList(resource, each)).toList();
      case Restart(var killed, var pending, var run, var exchange) -> {
        List<Step> all = new java.util.ArrayList<>();
        if (killed) all.add(new Restart(false, pending, run, exchange));
        if (exchange) all.add(new Restart(killed, pending, run, false));
        if (pending) all.add(new Restart(killed, false, run, exchange));
        if (run != Reported.ENDED) all.add(new Restart(killed, pending, Reported.ENDED, exchange));
        yield all;
      }
      default -> List.of();
    };
  }

  private static List<List<PlannedDevice>> fewer(List<PlannedDevice> devices) {
    List<List<PlannedDevice>> all = new java.util.ArrayList<>();
    if (devices.size() > 3) {
      all.add(devices.subList(0, devices.size() / 2));
      all.add(devices.subList(devices.size() / 2, devices.size()));
    }
    for (PlannedDevice device : devices)
      all.add(devices.stream().filter(each -> !each.id().equals(device.id())).toList());
    return all;
  }
}
