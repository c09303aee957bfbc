package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class SentencesTest {

    @Test
    void endWithTheirMarkTheirParagraphOrTheirItem() {
        assertThat(Sentences.of("""
                # A heading.

                One. Two (in
                brackets.) libquiver begins small? "Yes." **Four.** An end without a mark
                - an item
                - another one, which goes
                    on. And on

                A lead, with a colon:
                """))
                .containsExactly(
                        "One.",
                        "Two (in brackets.)",
                        "libquiver begins small?",
                        "\"Yes.\"",
                        "**Four.**",
                        "An end without a mark",
                        "an item",
                        "another one, which goes on.",
                        "And on",
                        "A lead, with a colon:");
    }

    @Test
    void areNotCutAtColonsNumbersAbbreviationsAndWithinCode() {
        assertThat(Sentences.of("It costs 1.5 ms: e.g. `a. b. c` costs less; [this page](x.md) tells."))
                .containsExactly("It costs 1.5 ms: e.g. `a. b. c` costs less; this page tells.");
    }

    @Test
    void leaveOutCodeTablesAndDiagrams() {
        assertThat(Sentences.of("""
                Before.

                    $ a diagram. And more

                ```
                code. More code.
                ```
                | a table. | Another cell. |
                After.
                """)).containsExactly("Before.", "After.");
    }

    @Test
    void countCodeAsOneWordAndMarksAsNone() {
        assertThat(Sentences.words("The call `a b c` is 2 × as fast — really.")).isEqualTo(8);
    }

    @Test
    void areHeadlessWhereTheReaderHasToGuessTheNoun() {
        assertThat(List.of("Of a task nothing is kept.", "What remains is read.", "Nothing waits.", "No one reads it."))
                .allMatch(Sentences::isHeadless);
        assertThat(List.of("Offers wait.", "Whole tasks wait.", "What comes next?", "No task waits."))
                .noneMatch(Sentences::isHeadless);
    }
}
