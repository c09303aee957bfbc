package dev.quiver.controller.taskset.source;

import dev.quiver.crds.v1alpha1.TaskSetReason;

/** What came of reading a source. */
public sealed interface SourceReading {

    /** It was read. */
    record Read(Source source) implements SourceReading {}

    /** It is not there yet. */
    record NotFound(String message) implements SourceReading {}

    /** It can never be run; the message names field and value. */
    record Invalid(TaskSetReason reason, String message) implements SourceReading {}
}
