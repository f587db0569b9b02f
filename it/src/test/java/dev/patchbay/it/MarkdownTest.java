package dev.patchbay.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.patchbay.it.Markdown.Link;
import dev.patchbay.it.Markdown.SourceCopy;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is seen in a Markdown text, and what is not.
final class MarkdownTest {
  @Test
  void linksAreThoseOutsideOfCode() {
    Markdown text =
        Markdown.parse(
            """
            See [one](a.md) and ![two](<b.png> "title"), not `[three](c.md)`.
            ```
            [four](d.md)
            ```
            [five]: e.md#part
            <img src="f.svg">
            """);
    assertThat(text.links())
        .containsExactly(
            new Link(1, "a.md"),
            new Link(1, "b.png"),
            new Link(5, "e.md#part"),
            new Link(6, "f.svg"));
  }

  @Test
  void anchorsAreHeadingsAsGitHubNamesThem() {
    Markdown text =
        Markdown.parse(
            """
            # What is *new*, in `0.1`?
            ## Same
            ## Same
            ### [A link](x.md) and a_b-c
            ~~~
            # not this
            ~~~
            <a id="by-hand"></a>
            """);
    assertThat(text.anchors())
        .containsExactlyInAnyOrder(
            "what-is-new-in-01", "same", "same-1", "a-link-and-a_b-c", "by-hand");
  }

  @Test
  void aCopyIsTheBlockRightBelowItsComment() {
    Markdown text =
        Markdown.parse(
            """
            <!-- source: a/B.java -->
            ```java
            class B {}

            // end
            ```
            <!-- source: a/C.java -->

            no block
            """);
    assertThat(text.copies())
        .containsExactly(
            new SourceCopy(1, "a/B.java", Optional.of("class B {}\n\n// end")),
            new SourceCopy(7, "a/C.java", Optional.empty()));
  }
}
