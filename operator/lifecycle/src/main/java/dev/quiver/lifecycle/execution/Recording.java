package dev.quiver.lifecycle.execution;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Which trials of a run are recorded, and how much of each. It is stored with the work as one word, so that a pod reads
 * no specification for it. The size of streams is stored separately, since earlier programs refuse a longer word.
 *
 * @param keep which trials have a record of their own
 * @param output whose last output is recorded
 * @param results whose results are recorded
 * @param resources whether a pass has its processor time and memory; other trials always have them
 * @param format that results have; absent: as the function names it, and JSON where bytes are a document
 * @param streamKib KiB of stdout, and as many of stderr, that are kept of a task whose output is recorded, 0 to
 *     {@value #MOST_STREAM_KIB}. With 0 only their ends are kept
 */
public record Recording(
        Keep keep, Output output, Results results, boolean resources, Optional<Format> format, int streamKib) {

    /** 1 GiB. */
    public static final int MOST_STREAM_KIB = 1 << 20;

    /** Everything at its default: all trials, the output of those that did not pass, no result. */
    public static final Recording DEFAULT = new Recording(Keep.ALL, Output.FAILED, Results.NONE, false);

    private static final int LETTERS = 4;

    /** Which trials have a record. */
    public enum Keep {
        /** Every trial. */
        ALL,
        /** Trials that did not pass. Passes are counted. */
        FAILURES
    }

    /** Whose last output is recorded. */
    public enum Output {
        /** Trials that did not pass. */
        FAILED,
        /** Every trial. */
        ALL,
        /** No trial. */
        NONE
    }

    /** Whose results are recorded, where they are small. */
    public enum Results {
        /** No trial. */
        NONE,
        /** JSON alone. */
        JSON,
        /** JSON, bytes and Arrow. */
        ALL
    }

    /** A format of results. */
    public enum Format {
        /** One JSON document in UTF-8. */
        JSON,
        /** Anything. */
        BYTES,
        /** An Arrow IPC stream. */
        ARROW
    }

    /** No choice is null. */
    public Recording {
        Objects.requireNonNull(keep, "keep");
        Objects.requireNonNull(output, "output");
        Objects.requireNonNull(results, "results");
        Objects.requireNonNull(format, "format");
        if (streamKib < 0 || streamKib > MOST_STREAM_KIB) {
            throw new IllegalArgumentException("streamKib is " + streamKib + ", at most " + MOST_STREAM_KIB);
        }
    }

    /** With the ends of streams alone. */
    public Recording(Keep keep, Output output, Results results, boolean resources, Optional<Format> format) {
        this(keep, output, results, resources, format, 0);
    }

    /** Results in the format that they turn out to have. */
    public Recording(Keep keep, Output output, Results results, boolean resources) {
        this(keep, output, results, resources, Optional.empty());
    }

    /** The same with results of this format; absent: of the one that they turn out to have. */
    public Recording as(Optional<Format> its) {
        return new Recording(keep, output, results, resources, its, streamKib);
    }

    /** The same with so many KiB of each stream. */
    public Recording keepingStreams(int kib) {
        return new Recording(keep, output, results, resources, format, kib);
    }

    /** Whether all that a trial printed is recorded, within {@link #streamKib}. */
    public boolean keepsStreams(boolean passed) {
        return streamKib > 0 && recordsOutput(passed);
    }

    /** Whether the output of a trial is recorded. */
    public boolean recordsOutput(boolean passed) {
        return output == Output.ALL || output == Output.FAILED && !passed;
    }

    /** Whether a first-time pass has more to record than its time. */
    public boolean detailsPasses() {
        return output == Output.ALL || results != Results.NONE || resources;
    }

    /** Letters: the first of each choice in the order of the record, r or a dash, and that of the format if there is one. */
    public String word() {
        String choices = letter(keep) + letter(output) + letter(results) + (resources ? "r" : "-");
        return (choices + format.map(Recording::letter).orElse("")).toLowerCase(Locale.ROOT);
    }

    /**
     * The recording of a stored word.
     *
     * @throws IllegalArgumentException for another word
     */
    public static Recording of(String word) {
        if (word.length() != LETTERS && word.length() != LETTERS + 1) {
            throw new IllegalArgumentException("history must have four or five letters: " + word);
        }
        return new Recording(
                one(Keep.values(), word, 0),
                one(Output.values(), word, 1),
                one(Results.values(), word, 2),
                word.charAt(LETTERS - 1) == 'r',
                word.length() == LETTERS ? Optional.empty() : Optional.of(one(Format.values(), word, LETTERS)));
    }

    /** The same; nothing for no word, and for one that only a newer program knows. */
    public static Optional<Recording> known(String word) {
        try {
            return word.isEmpty() ? Optional.empty() : Optional.of(of(word));
        } catch (IllegalArgumentException newer) {
            return Optional.empty();
        }
    }

    /**
     * The recording of a stored word and the size of streams beside it.
     *
     * @param kib absent: the ends of streams alone
     * @throws IllegalArgumentException for another word, or a size beyond its bound
     */
    public static Recording of(String word, Optional<Integer> kib) {
        return of(word).keepingStreams(kib.orElse(0));
    }

    /** The size of streams as it is stored beside the word; absent: their ends alone. */
    public Optional<Integer> storedStreamKib() {
        return streamKib == 0 ? Optional.empty() : Optional.of(streamKib);
    }

    private static String letter(Enum<?> choice) {
        return choice.name().substring(0, 1);
    }

    private static <E extends Enum<E>> E one(E[] choices, String word, int at) {
        for (E choice : choices) {
            if (Character.toLowerCase(choice.name().charAt(0)) == word.charAt(at)) {
                return choice;
            }
        }
        throw new IllegalArgumentException("history has no choice " + word.charAt(at) + ": " + word);
    }
}
