package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.pages.JavadocSentences.Sentence;

class JavadocSentencesTest {

    @Test
    void haveTheLineOfTheirParagraph() {
        assertThat(JavadocSentences.of("""
                package a;

                /**
                 * One. Two in
                 * two lines.
                 *
                 * <p>Three.
                 *
                 * @param <T> four
                 * @param five
                 *     is five. Six
                 * @return seven
                 */
                class A {
                    /** Eight. */
                    String none = "/** Not one. */"; // nor this
                }
                """))
                .containsExactly(
                        new Sentence(4, "One."),
                        new Sentence(4, "Two in two lines."),
                        new Sentence(7, "Three."),
                        new Sentence(9, "four"),
                        new Sentence(11, "is five."),
                        new Sentence(11, "Six"),
                        new Sentence(12, "seven"),
                        new Sentence(15, "Eight."));
    }

    @Test
    void countAnInlineTagAsOneWordAndLeaveOutPreformattedText() {
        assertThat(JavadocSentences.of("""
                /**
                 * See {@link A#b(int,
                 * long) that. one} and {@code {"a": [1. 2]}} or <code>a. b</code>:
                 *
                 * <pre>
                 * Not. This.
                 * </pre>
                 *
                 * <ul>
                 *   <li>An item.
                 *   <li>Another
                 * </ul>
                 */
                """))
                .containsExactly(
                        new Sentence(2, "See `code` and `code` or `code`:"),
                        new Sentence(10, "An item."),
                        new Sentence(11, "Another"));
    }
}
