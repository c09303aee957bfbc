package dev.quiver.controller.taskset;

/** What came of reading a source. */
sealed interface SourceReading {

    /** It was read. */
    record Read(Source source) implements SourceReading {}

    /** It is not there yet. */
    record NotFound(String message) implements SourceReading {}

    /** It can never be run; the message names field and value. */
    record Invalid(String message) implements SourceReading {}
}
