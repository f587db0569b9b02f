package dev.patchbay.it;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// What the build says of our own modules.
///
/// @param modules in the order of the build; of the parent alone
/// @param scopes each of our modules that this one depends on, with the scope
record Pom(Set<String> modules, SequencedMap<String, String> scopes) {
  private static final String OURS = "patchbay-";

  /// The parent's pom.
  static Pom ofBuild() throws Exception {
    return read(Repository.ROOT.resolve("pom.xml"));
  }

  /// A module's pom.
  static Pom of(String module) throws Exception {
    return read(Repository.ROOT.resolve(module).resolve("pom.xml"));
  }

  private static Pom read(Path file) throws Exception {
    var document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    Set<String> modules = new LinkedHashSet<>();
    for (Element module : elements(document, "/project/modules/module"))
      modules.add(module.getTextContent());
    SequencedMap<String, String> scopes = new LinkedHashMap<>();
    for (Element dependency : elements(document, "/project/dependencies/dependency"))
      if (text(dependency, "artifactId").startsWith(OURS)) {
        String scope = text(dependency, "scope");
        scopes.put(
            text(dependency, "artifactId").substring(OURS.length()),
            scope.isEmpty() ? "compile" : scope);
      }
    return new Pom(modules, scopes);
  }

  private static Iterable<Element> elements(Object document, String path) throws Exception {
    NodeList found =
        (NodeList)
            XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
    return IntStream.range(0, found.getLength())
        .mapToObj(index -> (Element) found.item(index))
        .toList();
  }

  private static String text(Element parent, String child) {
    NodeList found = parent.getElementsByTagName(child);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent();
  }
}
