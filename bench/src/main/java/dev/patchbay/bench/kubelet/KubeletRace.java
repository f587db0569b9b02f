package dev.patchbay.bench.kubelet;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The same work done by our kubelet side and by the reference kubelet, one after the other.
///
/// @param ours a command that answers the control protocol
/// @param theirs a command that answers the control protocol
/// @param progress is told what is measured next
record KubeletRace(
    List<String> ours, List<String> theirs, KubeletEffort effort, PrintStream progress) {
  /// Upstream takes seconds with three resources on eight nodes, and minutes with four.
  private static final int MOST_RESOURCES_OF_THEIRS = 3;

  /// Takes a quarter of an hour with full effort.
  List<KubeletFigure> run() {
    List<KubeletFigure> figures = new ArrayList<>();
    for (int nodes : List.of(2, 8))
      for (String policy : effort.policies())
        for (int devices : effort.devices())
          figures.add(
              race(
                  KubeletWork.ADMIT,
                  KubeletSetting.of(nodes, devices, policy),
                  "%d nodes, %s, %,d devices".formatted(nodes, policy, devices),
                  policy.equals("best-effort") ? aim(devices) : ""));
    for (int nodes : List.of(2, 8))
      for (int devices : effort.devices())
        figures.add(
            race(
                KubeletWork.HINTS,
                KubeletSetting.of(nodes, devices, "best-effort"),
                "%d nodes, %,d devices".formatted(nodes, devices),
                nodes == 8 ? "0.1 ms" : ""));
    for (String policy : effort.policies().subList(1, effort.policies().size()))
      for (int resources = 1; resources <= 4; resources++)
        figures.add(resources(policy, resources, false));
    for (int resources = 1; resources <= 2; resources++)
      figures.add(resources("best-effort", resources, true));
    var crowd = KubeletSetting.of(2, effort.many(), "none").withPods(effort.pods());
    String many = "%,d devices".formatted(effort.many());
    String with = many + ", %d pods with 8 each".formatted(effort.pods());
    figures.add(race(KubeletWork.ADMIT, crowd, with, "3 ms"));
    figures.add(race(KubeletWork.LIST, crowd.withPods(0), many, "5 ms"));
    figures.add(race(KubeletWork.LIST, crowd, with, "5 ms"));
    figures.add(race(KubeletWork.LIST_ANEW, crowd.withPods(0), many, "5 ms"));
    figures.add(race(KubeletWork.LIST_ANEW, crowd, with, "5 ms"));
    figures.add(race(KubeletWork.POD_RESOURCES_LIST, crowd, with, "upstream's"));
    figures.add(race(KubeletWork.POD_RESOURCES_ALLOCATABLE, crowd.withPods(0), many, "upstream's"));
    figures.add(memory("resident memory: 16 devices", KubeletSetting.of(2, 16, "none")));
    figures.add(memory("resident memory: " + many, crowd.withPods(0)));
    figures.add(memory("resident memory: " + with, crowd));
    return figures;
  }

  private static String aim(int devices) {
    return switch (devices) {
      case 16 -> "0.35 ms";
      case 256 -> "0.4 ms";
      case 4_096 -> "1 ms";
      default -> "2 ms";
    };
  }

  private KubeletFigure resources(String policy, int count, boolean cpus) {
    var setting = KubeletSetting.of(8, 16, policy).withResources(count, cpus);
    String with = "8 nodes, %s, 16 devices of each of %d".formatted(policy, count);
    return race(
        KubeletWork.ADMIT,
        setting,
        cpus ? with + ", static CPU manager" : with,
        cpus ? "2 ms" : "1 ms");
  }

  private interface Measuring {
    long of(KubeletStage stage) throws IOException;
  }

  private KubeletFigure race(KubeletWork work, KubeletSetting setting, String with, String aim) {
    return figure(
        work.text() + ": " + with, setting, stage -> work.median(stage, effort), "µs", aim);
  }

  private KubeletFigure memory(String what, KubeletSetting setting) {
    return figure(what, setting, KubeletStage::residentKib, "KiB", "");
  }

  private KubeletFigure figure(
      String what, KubeletSetting setting, Measuring measuring, String unit, String aim) {
    progress.println("bench-kubelet: " + what);
    List<String> why = new ArrayList<>();
    Optional<Long> ourMedian = measured("ours", ours, setting, measuring, why);
    boolean tooMuch =
        !setting.policy().equals("single-numa-node")
            && setting.resources() + (setting.staticCpus() ? 1 : 0) > MOST_RESOURCES_OF_THEIRS;
    if (tooMuch) why.add("upstream: takes minutes for each");
    Optional<Long> theirMedian =
        tooMuch ? Optional.empty() : measured("upstream", theirs, setting, measuring, why);
    return new KubeletFigure(
        what,
        why.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", why)),
        ourMedian,
        theirMedian,
        unit,
        aim);
  }

  private static Optional<Long> measured(
      String who,
      List<String> command,
      KubeletSetting setting,
      Measuring measuring,
      List<String> why) {
    try (var stage = KubeletStage.start(command, setting)) {
      return Optional.of(measuring.of(stage));
    } catch (IOException e) {
      why.add(who + ": " + e.getMessage());
      return Optional.empty();
    }
  }
}
