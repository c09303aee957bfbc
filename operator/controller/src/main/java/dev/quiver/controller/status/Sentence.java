package dev.quiver.controller.status;

/** Ends a text of another program as a sentence: some end in a full stop already, some do not. Pure. */
public final class Sentence {

    private static final String ENDS = ".!?…";

    private Sentence() {}

    /** The text with exactly one end. */
    public static String of(String text) {
        String stripped = text.strip();
        return !stripped.isEmpty() && ENDS.indexOf(stripped.charAt(stripped.length() - 1)) >= 0
                ? stripped
                : stripped + ".";
    }
}
