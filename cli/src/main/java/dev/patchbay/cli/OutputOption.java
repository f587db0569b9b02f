package dev.patchbay.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.PrintWriter;
import java.util.function.Function;
import picocli.CommandLine.Option;

/// `-o table|json|yaml`, wherever data is shown. The shapes of JSON and YAML are the same records,
/// described in `docs/reference/output.md`.
final class OutputOption {
  /// Apart, so that a command without such output, the agent above all, does not load Jackson.
  private static final class Json {
    private static final JsonMapper MAPPER =
        JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
            .build();
  }

  /// A form of output.
  enum Format {
    TABLE,
    JSON,
    YAML
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, json or yaml (default: ${DEFAULT-VALUE})")
  private Format format = Format.TABLE;

  boolean isTable() {
    return format == Format.TABLE;
  }

  /// A constant's name as JSON has it.
  static String word(Enum<?> constant) {
    return Json.MAPPER.convertValue(constant, String.class);
  }

  /// Prints a value as the user asked for it.
  <T> void print(PrintWriter out, T value, Function<T, String> asTable)
      throws JsonProcessingException {
    out.print(
        switch (format) {
          case TABLE -> asTable.apply(value);
          case JSON -> Json.MAPPER.writeValueAsString(value) + "\n";
          case YAML ->
              YAMLMapper.builder()
                  .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                  .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                  .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
                  .build()
                  .writeValueAsString(value);
        });
    out.flush();
  }
}
