package dev.patchbay.interop.differential;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/// A machine, settings, and what happens. Its text is a script: one JSON object a line, the machine
/// and the settings first.
record Scenario(Machine machine, Settings settings, List<Step> steps) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// The first line of a script.
  private record Head(Machine machine, Settings settings) {}

  Scenario with(List<Step> otherSteps) {
    return new Scenario(machine, settings, List.copyOf(otherSteps));
  }

  /// Whether a plugin is to be found by the kubelet.
  boolean watches() {
    return steps.stream().anyMatch(step -> step instanceof Step.PluginUp up && up.watched());
  }

  /// The script.
  String script() {
    try {
      var text = new StringBuilder(JSON.writeValueAsString(new Head(machine, settings)));
      for (Step step : steps)
        text.append('\n').append(JSON.writerFor(Step.class).writeValueAsString(step));
      return text.append('\n').toString();
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads a script.
  static Scenario of(String script) throws JsonProcessingException {
    List<String> lines = script.lines().filter(line -> !line.isBlank()).toList();
    Head head = JSON.readValue(lines.getFirst(), Head.class);
    List<Step> steps = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) steps.add(JSON.readValue(line, Step.class));
    return new Scenario(head.machine(), head.settings(), steps);
  }
}
