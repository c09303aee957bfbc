package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.cluster.Repository;

/** The Javadoc of all sources, tests included: short sentences, whose subject is a noun. */
class JavadocTest {

    private static final int LONGEST_SENTENCE = 25;
    private static final int FEWEST_SENTENCES = 8_000;
    private static final Path ROOT = Repository.root();

    private static List<String> sentences(Predicate<String> wanted) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path source : Sources.of(ROOT, ".java")) {
            String name = ROOT.relativize(source).toString();
            JavadocSentences.of(Files.readString(source)).stream()
                    .filter(sentence -> wanted.test(sentence.text()))
                    .forEach(sentence -> found.add(name + ":" + sentence.line() + ": " + sentence.text()));
        }
        return found;
    }

    @Test
    void sentencesAreShort() throws IOException {
        assertThat(sentences(sentence -> Sentences.words(sentence) > LONGEST_SENTENCE))
                .as("sentences of Javadoc with more than %d words", LONGEST_SENTENCE)
                .isEmpty();
    }

    @Test
    void sentencesBeginWithANoun() throws IOException {
        assertThat(sentences(Sentences::isHeadless))
                .as("sentences of Javadoc that begin with Of, What, Who, Nothing, Nobody, Nor, That of or Where none")
                .isEmpty();
    }

    /** Or the tests above hold because they read nothing. */
    @Test
    void sentencesAreFound() throws IOException {
        assertThat(sentences(sentence -> true)).hasSizeGreaterThan(FEWEST_SENTENCES);
    }
}
