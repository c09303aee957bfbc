package dev.quiver.lifecycle.redis;

import java.util.List;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an error of a script happened. Redis tells the line of the text that it runs, in which many files are joined:
 * {@code user_function:1234}. A mark stands in front of each file, so the line of the file is the distance to the mark
 * before: {@code include/task/flow.lua:56}. The text is searched when there is an error, and costs nothing before.
 */
final class ScriptLines {

    /** Such a line stands in front of the text of a file. It ends the text of another one as well. */
    private static final String MARK = "--@ ";

    private static final Pattern PLACE = Pattern.compile("@?\\buser_(?:function|script):(\\d{1,9})");

    private ScriptLines() {}

    /** The mark in front of the text of this file, without its ending. */
    static String mark(String file) {
        return MARK + file + "\n";
    }

    /** The mark in front of what belongs to no file. */
    static String unmark() {
        return MARK + "\n";
    }

    /** The same error, with the file's name and line in place of the joined text's. */
    static RuntimeException explained(RuntimeException error, Supplier<String> source) {
        return error instanceof StoreRefusedException refused
                        && PLACE.matcher(refused.getMessage()).find()
                ? new StoreRefusedException(refused.kind(), words(refused.getMessage(), source.get()), refused)
                : error;
    }

    /** The words with places of files in place of those of the text; a place in no file stays. */
    static String words(String words, String source) {
        List<String> lines = source.lines().toList();
        return PLACE.matcher(words).replaceAll(found -> Matcher.quoteReplacement(place(found, lines)));
    }

    private static String place(MatchResult found, List<String> lines) {
        int line = Integer.parseInt(found.group(1));
        for (int at = Math.min(line, lines.size()) - 1; at >= 0; at--) {
            if (lines.get(at).startsWith(MARK)) {
                String file = lines.get(at).substring(MARK.length());
                return file.isEmpty() ? found.group() : file + ".lua:" + (line - at - 1);
            }
        }
        return found.group();
    }
}
