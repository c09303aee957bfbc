package dev.quiver.lifecycle.history;

/**
 * Tasks that one node of a tree made, in a row of numbers. Their names follow from it.
 *
 * @param kind how they are numbered
 * @param parent number of the node
 * @param first number of the first one
 * @param n elements, chunks, or children
 * @param stride numbers that an element or a child takes, at least 1; of chunks how many results a combine takes, 0
 *     where none combines
 * @param origin number of the template that each element copies; of an iterator's children the place of the first one; 0
 *     of chunks
 */
public record NodeRange(Kind kind, long parent, long first, long n, long stride, long origin) {

    private static final int WORDS = 6;

    /** How tasks are numbered. The order is part of the format of the tables. */
    public enum Kind {
        /** Copies of a template: {@code stride} numbers for each element. */
        EACH,
        /** Chunks, and behind them the combines of them. */
        COMBINES,
        /** Children of an iterator. */
        MADE;

        /** The word of the entry. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** The field of its entry. */
    String text() {
        return kind.word() + " " + parent + " " + first + " " + n + " " + stride + " " + origin;
    }

    static NodeRange of(String text) throws MalformedEntryException {
        String[] words = text.split(" ", WORDS + 1);
        Kind kind = switch (words[0]) {
            case "each" -> Kind.EACH;
            case "combines" -> Kind.COMBINES;
            case "made" -> Kind.MADE;
            default -> throw MalformedEntryException.newer("a range that is not known");
        };
        if (words.length != WORDS) {
            throw new MalformedEntryException("a range has " + words.length + " words");
        }
        long[] n = new long[WORDS];
        for (int i = 1; i < WORDS; i++) {
            n[i] = ByteReader.decimal(words[i], HistoryBounds.TASK, "a range");
        }
        if (kind != Kind.COMBINES && n[4] == 0 || n[4] == 1 && kind == Kind.COMBINES) {
            throw new MalformedEntryException("no range has the stride " + n[4]);
        }
        return new NodeRange(kind, n[1], n[2], n[3], n[4], n[5]);
    }
}
