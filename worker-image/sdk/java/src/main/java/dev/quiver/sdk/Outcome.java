package dev.quiver.sdk;

/** How a trial ended. */
sealed interface Outcome permits Outcome.Written, Failure {

    /** It passed; its output is written. */
    record Written(Format format, boolean locator) implements Outcome {}
}
