package dev.patchbay.testkit;

import dev.patchbay.testkit.ScriptedKubelet.Answer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Which answer comes next; the last one of a script stays.
final class AnswerScript {
  private final Map<String, List<Answer>> forOne = new HashMap<>();
  private List<Answer> forAll = List.of(Answer.ACCEPT_AND_LIST);

  synchronized void forAll(List<Answer> answers) {
    forAll = List.copyOf(answers);
  }

  synchronized void forOne(String resource, List<Answer> answers) {
    forOne.put(resource, List.copyOf(answers));
  }

  synchronized Answer next(String resource) {
    if (forOne.containsKey(resource)) {
      List<Answer> script = Objects.requireNonNull(forOne.get(resource));
      forOne.put(resource, rest(script));
      return script.getFirst();
    }
    Answer answer = forAll.getFirst();
    forAll = rest(forAll);
    return answer;
  }

  private static List<Answer> rest(List<Answer> script) {
    return script.size() == 1 ? script : script.subList(1, script.size());
  }
}
