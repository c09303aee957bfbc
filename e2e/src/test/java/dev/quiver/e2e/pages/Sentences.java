package dev.quiver.e2e.pages;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sentences of a page in Markdown, and how many words each has. Code, diagrams, tables and headings are left out. A
 * sentence ends with a full stop, a question or an exclamation mark before a blank, and with its paragraph or list item.
 * A colon or a semicolon does not end it. A piece of code within a sentence is one word.
 */
final class Sentences {

    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern ITEM = Pattern.compile("^ *(?:[-*]|\\d+\\.) +(.*)");
    private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*");

    /** Behind the mark and what closes with it; abbreviations have one, too. */
    private static final Pattern END = Pattern.compile("(?<!\\b(?:e\\.g|i\\.e|etc|vs)\\.)(?<=[.!?][\")*]{0,3}) +");

    /** Heads that stand for a noun which the reader has to guess. */
    private static final Pattern HEADLESS = Pattern.compile(
            "^(?:Of|Nobody|No one|Nothing|Nor|(?:What|Who)(?:ever)?" + "|(?:That|Those) of|Where none)\\b(?!.*\\?$)");

    private Sentences() {}

    /** In their order, as written but for line breaks and the targets of links. */
    static List<String> of(String page) {
        List<String> sentences = new ArrayList<>();
        for (String paragraph : paragraphs(page)) {
            // Code may hold full stops: its blanks are hidden while the paragraph is cut.
            String whole = CODE.matcher(LINK.matcher(paragraph).replaceAll("$1"))
                    .replaceAll(code -> Matcher.quoteReplacement(code.group().replace(' ', '\u00a0')));
            END.splitAsStream(whole)
                    .map(it -> it.replace('\u00a0', ' ').strip())
                    .filter(it -> !it.isEmpty())
                    .forEach(sentences::add);
        }
        return sentences;
    }

    /** How many words a sentence has. */
    static long words(String sentence) {
        return WORD.matcher(CODE.matcher(sentence).replaceAll("code")).results().count();
    }

    /** Whether the subject of a sentence is no noun; a question is free. */
    static boolean isHeadless(String sentence) {
        return HEADLESS.matcher(sentence).find();
    }

    private static List<String> paragraphs(String page) {
        List<String> found = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        boolean fenced = false;
        for (String line : (page + "\n\n").lines().toList()) {
            String text = line.strip();
            boolean fence = text.startsWith("```");
            fenced ^= fence;
            var item = ITEM.matcher(line);
            // Four blanks are code, but in the middle of a list item's text.
            boolean indented = line.startsWith("    ") && open.isEmpty();
            boolean apart = fenced || fence || indented || isApart(text);
            if ((apart || item.matches()) && !open.isEmpty()) {
                found.add(open.toString());
                open.setLength(0);
            }
            if (!apart) {
                open.append(open.isEmpty() ? "" : " ").append(item.matches() ? item.group(1) : text);
            }
        }
        return found;
    }

    private static boolean isApart(String text) {
        return text.isEmpty() || Stream.of("|", "#").anyMatch(text::startsWith);
    }
}
