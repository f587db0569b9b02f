package dev.patchbay.kubelet.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The merge as the rules say it: every element of the product of all lists, in order, against the
/// best before. What [HintMerger] is compared with.
final class NaiveMerge {
  private final NumaMask all;
  private final List<List<Integer>> distances;
  private final List<List<TopologyHint>> lists;
  private final int wanted;
  private @Nullable Candidate best;

  private record Candidate(NumaMask mask, boolean preferred) {}

  /// @param distances by id; empty when the closest nodes are not wanted
  private NaiveMerge(NumaMask all, List<List<Integer>> distances, List<List<TopologyHint>> lists) {
    this.all = all;
    this.distances = distances;
    this.lists = lists;
    int most = 0;
    for (List<TopologyHint> list : lists) {
      var narrowest =
          list.stream().flatMap(hint -> hint.mask().stream()).mapToInt(NumaMask::size).min();
      if (narrowest.isPresent()) most = Math.max(most, narrowest.getAsInt());
    }
    this.wanted = most;
  }

  static TopologyHint merge(
      NumaMask all, List<List<Integer>> distances, List<List<TopologyHint>> lists) {
    var merge = new NaiveMerge(all, distances, lists);
    merge.walk(new ArrayList<>());
    Candidate best = merge.best;
    return best == null
        ? TopologyHint.possible(all)
        : new TopologyHint(Optional.of(best.mask), best.preferred);
  }

  private void walk(List<TopologyHint> chosen) {
    if (chosen.size() == lists.size()) {
      consider(chosen);
      return;
    }
    for (TopologyHint hint : lists.get(chosen.size())) {
      chosen.add(hint);
      walk(chosen);
      chosen.removeLast();
    }
  }

  private void consider(List<TopologyHint> chosen) {
    boolean preferred = true;
    NumaMask mask = all;
    @Nullable NumaMask first = null;
    for (TopologyHint hint : chosen) {
      if (!hint.preferred()) preferred = false;
      if (hint.mask().isEmpty()) continue;
      if (first == null) first = hint.mask().get();
      if (!first.equals(hint.mask().get())) preferred = false;
      mask = mask.and(hint.mask().get());
    }
    best = better(best, new Candidate(mask, preferred));
  }

  private @Nullable Candidate better(@Nullable Candidate current, Candidate candidate) {
    if (candidate.mask.isEmpty()) return current;
    if (current == null) return candidate;
    if (!current.preferred && candidate.preferred) return candidate;
    if (current.preferred && !candidate.preferred) return current;
    if (current.preferred) return fitter(current, candidate);
    int c = current.mask.size();
    int k = candidate.mask.size();
    if (c > wanted) return fitter(current, candidate);
    if (c == wanted) return k == wanted ? fitter(current, candidate) : current;
    if (k > wanted) return current;
    if (k == wanted) return candidate;
    if (k > c) return candidate;
    if (k < c) return current;
    return fitter(current, candidate);
  }

  private Candidate fitter(Candidate current, Candidate candidate) {
    if (current.mask.equals(candidate.mask)) return current;
    NumaMask better =
        distances.isEmpty() || current.mask.size() != candidate.mask.size()
            ? narrower(current.mask, candidate.mask)
            : closer(current.mask, candidate.mask);
    return better.equals(current.mask) ? current : candidate;
  }

  private static NumaMask narrower(NumaMask one, NumaMask other) {
    if (one.size() == other.size())
      return Long.compareUnsigned(one.bits(), other.bits()) < 0 ? one : other;
    return one.size() < other.size() ? one : other;
  }

  private NumaMask closer(NumaMask one, NumaMask other) {
    double a = average(one);
    double b = average(other);
    if (a == b) return Long.compareUnsigned(one.bits(), other.bits()) < 0 ? one : other;
    return a < b ? one : other;
  }

  private double average(NumaMask mask) {
    double sum = 0;
    double count = 0;
    for (int i : mask.nodes())
      for (int j : mask.nodes()) {
        sum += distances.get(i).get(j);
        count++;
      }
    return sum / count;
  }
}
