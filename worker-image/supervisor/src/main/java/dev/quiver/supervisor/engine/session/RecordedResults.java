package dev.quiver.supervisor.engine.session;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.TrialRow;

/** The format of a small result in the record. No format is believed before the bytes were looked at. Pure. */
final class RecordedResults {

    private RecordedResults() {}

    /** The output as the record has it; absent where nobody asked for a result of its format. */
    static Optional<TrialRow.Result> of(ExecutionInput.Payload output, Recording how) {
        if (output.locator()) {
            return Optional.empty(); // the name of a file is no result
        }
        if (output.format() == ExecutionInput.Format.EFFECTS) {
            return Effects.of(output)
                    .result()
                    .map(json -> new TrialRow.Result(ResultFormat.JSON, json.getBytes(StandardCharsets.UTF_8)));
        }
        ResultFormat format = format(output, how);
        return how.results() == Recording.Results.ALL || format == ResultFormat.JSON
                ? Optional.of(new TrialRow.Result(format, output.bytes()))
                : Optional.empty();
    }

    /** Whether a result that nobody has read might be one that is asked for. */
    static boolean mayBeWanted(Recording how) {
        return how.results() == Recording.Results.ALL
                || how.results() == Recording.Results.JSON
                        && how.format().orElse(Recording.Format.JSON) == Recording.Format.JSON;
    }

    private static ResultFormat format(ExecutionInput.Payload output, Recording how) {
        Recording.Format claimed = how.format().orElseGet(() -> switch (output.format()) {
            case ARROW -> Recording.Format.ARROW;
            // A command has no way to name a format: what it wrote is JSON if it reads as JSON, as in a Task.
            case JSON, ARGUMENTS, EFFECTS, BYTES -> Recording.Format.JSON;
        });
        return switch (claimed) {
            case JSON -> TaskResult.isJson(output.bytes()) ? ResultFormat.JSON : ResultFormat.BYTES;
            case ARROW -> isArrow(output.bytes()) ? ResultFormat.ARROW : ResultFormat.BYTES;
            case BYTES -> ResultFormat.BYTES;
        };
    }

    private static boolean isArrow(byte[] bytes) {
        try {
            ArrowStream.of(bytes);
            return true;
        } catch (IllegalArgumentException other) {
            return false;
        }
    }
}
