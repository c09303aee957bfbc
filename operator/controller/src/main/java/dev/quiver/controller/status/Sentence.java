package dev.quiver.controller.status;

/** Ends words that come from elsewhere: some of them end in a full stop already, some do not. Pure. */
public final class Sentence {

    private static final String ENDS = ".!?…";

    private Sentence() {}

    /** The words with exactly one end. */
    public static String of(String text) {
        String said = text.strip();
        return !said.isEmpty() && ENDS.indexOf(said.charAt(said.length() - 1)) >= 0 ? said : said + ".";
    }
}
