package dev.patchbay.agent;

import dev.patchbay.http.Page.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// How an agent is at one moment, for the kubelet's probes and for people who ask why.
///
/// @param loops whether its threads do their work; with one that does not, only a new process
///   helps. A kubelet that is not there is nothing of this kind
/// @param resources whether what it offers is known to the kubelet, and whether each driver has
///   found out what there is to offer
public record AgentHealth(List<Sign> loops, List<Sign> resources) {
  /// One thing and how it is.
  ///
  /// @param of what it is about: `driver kubevirt`, `resource a.b/c`
  /// @param text how it is, in words
  public record Sign(String of, boolean isGood, String text) {
    /// What is as it should be.
    static Sign good(String of, String text) {
      return new Sign(of, true, text);
    }

    /// What is not.
    static Sign bad(String of, String text) {
      return new Sign(of, false, text);
    }

    /// `not ok resource a.b/c: waiting for the kubelet`; always one line.
    @Override
    public String toString() {
      String line = (isGood ? "ok " : "not ok ") + of + (text.isEmpty() ? "" : ": " + text);
      return line.replaceAll("\\p{Cntrl}+", " ");
    }
  }

  public AgentHealth {
    loops = List.copyOf(loops);
    resources = List.copyOf(resources);
  }

  /// The same, and what somebody else knows about another loop.
  public AgentHealth with(Sign loop) {
    List<Sign> all = new ArrayList<>(loops);
    all.add(loop);
    return new AgentHealth(all, resources);
  }

  /// For `/healthz`: 200 while every loop does its work, else 503. A line for each.
  public Answer alive() {
    return answer(loops);
  }

  /// For `/readyz`: 200 when all that is offered is registered, else 503. A line for each resource.
  public Answer ready() {
    return answer(resources);
  }

  private static Answer answer(List<Sign> signs) {
    var body = new StringBuilder();
    signs.stream().filter(Predicate.not(Sign::isGood)).forEach(it -> body.append(it).append('\n'));
    signs.stream().filter(Sign::isGood).forEach(it -> body.append(it).append('\n'));
    boolean good = signs.stream().allMatch(Sign::isGood);
    return Answer.text(good ? 200 : 503, body.isEmpty() ? "ok nothing to do\n" : body.toString());
  }
}
