package dev.quiver.controller.status;

/** Ends a text of another program as a sentence: not every such text has its full stop. Pure. */
public final class Sentence {

    private static final String ENDS = ".!?…";

    private Sentence() {}

    /** The text with a full stop at its end, unless it ends a sentence already. */
    public static String of(String text) {
        String stripped = text.strip();
        return !stripped.isEmpty() && ENDS.indexOf(stripped.charAt(stripped.length() - 1)) >= 0
                ? stripped
                : stripped + ".";
    }
}
