package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.it.SourceFile.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Dependencies go the way that ARCHITECTURE.md says, between modules and to libraries, and never
/// in a circle.
final class ArrowTest {
  private static final String OURS = "dev.patchbay.";

  private Architecture architecture =
      new Architecture(new LinkedHashMap<>(), new LinkedHashMap<>());

  @BeforeEach
  void readTables() throws IOException {
    architecture = Architecture.read();
  }

  @Test
  void theTableHasEveryModuleOfTheBuild() throws Exception {
    assertThat(architecture.modules().keySet())
        .containsExactlyInAnyOrderElementsOf(Pom.ofBuild().modules());
  }

  @Test
  void theTableHasNoCircle() {
    for (String module : architecture.modules().keySet())
      assertThat(architecture.allowed(module)).as("what %s may use", module).doesNotContain(module);
  }

  @Test
  void pomsDeclareOnlyWhatTheTableAllows() throws Exception {
    for (String module : architecture.modules().keySet())
      Pom.of(module)
          .scopes()
          .forEach((used, scope) -> {
            if (!scope.equals("test"))
              assertThat(architecture.allowed(module)).as("allowed for %s", module).contains(used);
          });
  }

  @Test
  void sourcesImportOnlyModulesThatTheirPomDeclares() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (String module : architecture.modules().keySet()) {
      Map<String, String> scopes = Pom.of(module).scopes();
      for (Kind kind : Kind.values())
        for (SourceFile source : SourceFile.of(module, kind))
          for (String used : modulesUsedBy(source))
            if (!used.equals(module) && !declared(scopes, kind).contains(used))
              wrong.add(source.path() + " imports from " + used);
    }
    assertThat(wrong).as("imports from modules that the pom does not declare").isEmpty();
  }

  /// For tests also what comes with the modules that are declared: to declare such a one for tests
  /// alone would take it from the classes that are not tests.
  private Set<String> declared(Map<String, String> scopes, Kind kind) {
    Set<String> declared = new HashSet<>();
    scopes.forEach((used, scope) -> {
      if (kind == Kind.TEST || !scope.equals("test")) declared.add(used);
      if (kind == Kind.TEST) declared.addAll(architecture.allowed(used));
    });
    return declared;
  }

  private static Set<String> modulesUsedBy(SourceFile source) {
    Set<String> modules = new TreeSet<>();
    for (String name : source.imports())
      if (name.startsWith(OURS)) modules.add(name.substring(OURS.length()).split("\\.", -1)[0]);
    return modules;
  }

  @Test
  void packagesLieInTheModuleOfTheirName() throws Exception {
    for (String module : architecture.modules().keySet())
      for (Kind kind : Kind.values())
        for (SourceFile source : SourceFile.of(module, kind))
          assertThat(source.packageName() + ".")
              .as(source.path().toString())
              .startsWith(OURS + module + ".");
  }

  @Test
  void packagesOfAModuleDoNotUseEachOtherInACircle() throws Exception {
    int arrows = 0;
    for (String module : architecture.modules().keySet()) {
      Map<String, Set<String>> uses = new TreeMap<>();
      for (SourceFile source : SourceFile.of(module, Kind.MAIN))
        for (String used : source.imports())
          if ((used + ".").startsWith(OURS + module + ".") && !used.equals(source.packageName()))
            uses.computeIfAbsent(source.packageName(), _ -> new TreeSet<>()).add(used);
      for (Set<String> each : uses.values()) arrows += each.size();
      for (String name : uses.keySet())
        assertThat(reached(name, uses))
            .as("what %s uses, by way of others too", name)
            .doesNotContain(name);
    }
    assertThat(arrows).as("arrows between packages that were looked at").isPositive();
  }

  private static Set<String> reached(String start, Map<String, Set<String>> uses) {
    Set<String> reached = new HashSet<>();
    List<String> open = new ArrayList<>(List.of(start));
    while (!open.isEmpty())
      for (String next : uses.getOrDefault(open.removeLast(), Set.of()))
        if (reached.add(next)) open.add(next);
    return reached;
  }

  @Test
  void librariesAreImportedOnlyInThePackagesThatTheTableNames() throws Exception {
    Map<String, Set<String>> found = new HashMap<>();
    for (String module : architecture.modules().keySet())
      for (SourceFile source : SourceFile.of(module, Kind.MAIN))
        for (String used : source.imports())
          libraryOf(used)
              .forEach(library ->
                  found
                      .computeIfAbsent(library, _ -> new TreeSet<>())
                      .add(source.packageName().substring(OURS.length())));
    architecture
        .libraries()
        .forEach((library, packages) ->
            assertThat(found.getOrDefault(library, Set.of()))
                .as("packages that import %s, and those that ARCHITECTURE.md names", library)
                .containsExactlyInAnyOrderElementsOf(packages));
  }

  @Test
  void everyLibraryIsInTheTable() throws Exception {
    Set<String> unknown = new TreeSet<>();
    for (String module : architecture.modules().keySet())
      for (SourceFile source : SourceFile.of(module, Kind.MAIN))
        for (String used : source.imports())
          if (!used.matches(
                  "(java|javax|jdk|com\\.sun|org\\.w3c|org\\.jspecify|dev\\.patchbay)\\..*")
              && libraryOf(used).isEmpty()) unknown.add(used);
    assertThat(unknown).as("packages of libraries that the table does not name").isEmpty();
  }

  /// The longest name of the table that the package's name begins with.
  private List<String> libraryOf(String name) {
    return architecture.libraries().keySet().stream()
        .filter(library -> (name + ".").startsWith(library + "."))
        .max(Comparator.comparingInt(String::length))
        .stream()
        .toList();
  }
}
