package dev.quiver.e2e.pages;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The sentences of the Javadoc in a Java source. They end as in {@link Sentences}, and with a list item or a tag such as
 * {@code @param}. An inline tag is one word of code. Preformatted text is left out.
 */
final class JavadocSentences {

    private static final Pattern COMMENT = Pattern.compile("(?ms)^[ \\t]*/\\*\\*(.*?)\\*/");
    private static final Pattern MARGIN = Pattern.compile("(?m)^[ \\t]*\\*?[ \\t]*");
    private static final Pattern PREFORMATTED = Pattern.compile("(?s)<pre>.*?</pre>");
    private static final Pattern CODE = Pattern.compile("(?s)\\{@\\w+\\s(?:[^{}]|\\{[^{}]*})*}|<code>.*?</code>");
    private static final Pattern PART =
            Pattern.compile("</?(?:p|ul|ol|li)>|(?m)^$|^@(?:(?:param|throws)\\s+\\S+|\\w+)");

    private JavadocSentences() {}

    /**
     * A sentence.
     *
     * @param line of the source where its paragraph begins, from 1
     * @param text with {@code `code`} for each inline tag
     */
    record Sentence(int line, String text) {}

    /** All sentences, in their order. */
    static List<Sentence> of(String source) {
        List<Sentence> found = new ArrayList<>();
        COMMENT.matcher(source).results().forEach(comment -> {
            String text = MARGIN.matcher(comment.group(1)).replaceAll("");
            // Each replacement has as many lines as the text that it replaces: lines are counted afterwards.
            text = PREFORMATTED.matcher(text).replaceAll(it -> "<p>" + "\n".repeat(lines(it.group())));
            text = CODE.matcher(text).replaceAll(it -> "`code`" + "\n".repeat(lines(it.group())));
            int line = 1 + lines(source.substring(0, comment.start(1)));
            for (String part : PART.split(text)) {
                int begin = line
                        + lines(part.substring(
                                0, part.length() - part.stripLeading().length()));
                Sentences.of(part.strip()).forEach(sentence -> found.add(new Sentence(begin, sentence)));
                line += lines(part);
            }
        });
        return found;
    }

    private static int lines(String text) {
        return (int) text.chars().filter(it -> it == '\n').count();
    }
}
