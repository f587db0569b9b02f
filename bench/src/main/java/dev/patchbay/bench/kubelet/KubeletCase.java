package dev.patchbay.bench.kubelet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One work with one setting: what is measured, whoever does it. The list of them is here and
/// nowhere else.
///
/// @param with the setting in words, without the number of devices where it is one of a series
/// @param series what is the same but for the number of devices; empty for a case of its own
/// @param aim what ours should be under; empty without an aim
record KubeletCase(
    KubeletWork work, KubeletSetting setting, String with, Optional<String> series, String aim) {
  /// All that is measured.
  static List<KubeletCase> all(KubeletEffort effort) {
    List<KubeletCase> all = new ArrayList<>();
    for (int nodes : List.of(2, 8))
      for (String policy : effort.policies())
        for (int devices : effort.devices())
          all.add(
              ofSeries(
                  KubeletWork.ADMIT,
                  KubeletSetting.of(nodes, devices, policy),
                  "%d nodes, %s".formatted(nodes, policy),
                  policy.equals("best-effort") ? aim(devices) : ""));
    for (int nodes : List.of(2, 8))
      for (int devices : effort.devices())
        all.add(
            ofSeries(
                KubeletWork.HINTS,
                KubeletSetting.of(nodes, devices, "best-effort"),
                "%d nodes".formatted(nodes),
                nodes == 8 ? "0.1 ms" : ""));
    for (String policy : effort.policies().subList(1, effort.policies().size()))
      for (int resources = 1; resources <= 4; resources++)
        all.add(ofResources(policy, resources, false));
    for (int resources = 1; resources <= 2; resources++)
      all.add(ofResources("best-effort", resources, true));
    var crowd = KubeletSetting.of(2, effort.many(), "none").withPods(effort.pods());
    var empty = crowd.withPods(0);
    all.add(of(KubeletWork.ADMIT, crowd, "3 ms"));
    for (KubeletWork list : List.of(KubeletWork.LIST, KubeletWork.LIST_ANEW))
      for (KubeletSetting setting : List.of(empty, crowd)) all.add(of(list, setting, "5 ms"));
    all.add(of(KubeletWork.POD_RESOURCES_LIST, crowd, "upstream's"));
    all.add(of(KubeletWork.POD_RESOURCES_ALLOCATABLE, empty, "upstream's"));
    return all;
  }

  /// With what resident memory is measured.
  static List<KubeletSetting> ofMemory(KubeletEffort effort) {
    var crowd = KubeletSetting.of(2, effort.many(), "none").withPods(effort.pods());
    return List.of(KubeletSetting.of(2, 16, "none"), crowd.withPods(0), crowd);
  }

  private static KubeletCase ofSeries(
      KubeletWork work, KubeletSetting setting, String series, String aim) {
    return new KubeletCase(
        work, setting, series + ", " + describe(setting), Optional.of(series), aim);
  }

  private static KubeletCase ofResources(String policy, int count, boolean cpus) {
    String with = "8 nodes, %s, 16 devices of each of %d".formatted(policy, count);
    return new KubeletCase(
        KubeletWork.ADMIT,
        KubeletSetting.of(8, 16, policy).withResources(count, cpus),
        cpus ? with + ", static CPU manager" : with,
        Optional.empty(),
        cpus ? "2 ms" : "1 ms");
  }

  private static KubeletCase of(KubeletWork work, KubeletSetting setting, String aim) {
    return new KubeletCase(work, setting, describe(setting), Optional.empty(), aim);
  }

  /// Devices and pods in words.
  static String describe(KubeletSetting setting) {
    String devices = "%,d devices".formatted(setting.devices());
    return setting.pods() == 0
        ? devices
        : devices + ", %d pods with 8 each".formatted(setting.pods());
  }

  private static String aim(int devices) {
    return switch (devices) {
      case 16 -> "0.35 ms";
      case 256 -> "0.4 ms";
      case 4_096 -> "1 ms";
      default -> "2 ms";
    };
  }

  /// The case in words; no two have the same.
  String text() {
    return work.text() + ": " + with;
  }

  /// Whether upstream takes minutes for one: it takes seconds with three lists of hints on eight
  /// nodes, and 255 times as long with each more.
  boolean isTooMuchForUpstream() {
    return setting.nodes() == 8
        && List.of("best-effort", "restricted").contains(setting.policy())
        && setting.resources() + (setting.staticCpus() ? 1 : 0) > 3;
  }
}
