package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Outcome;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotOutput;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;
import dev.quiver.slots.Violation;
import dev.quiver.slots.WholeStream;

/** The meaning of the executor's account of a trial for its task. */
final class TrialResults {

    private static final byte[] NO_TAIL = {};

    private TrialResults() {}

    /**
     * The ending with the last words of stderr, read while the slot still has them.
     *
     * @param draining whether the agent has said that its container ends
     */
    static TrialResult of(SlotResult result, boolean draining, SlotBoard board) {
        TrialResult ending = result.passed()
                ? TrialResult.passed(result.ran(), output(result, board))
                : failed(result, draining, board.lastWords(result, Tail.MAX_BYTES))
                        .leaving(output(result, board));
        return ending.using(new TrialUse(
                true,
                result.cpu().toMillis(),
                result.maxRssBytes() >> 10,
                result.stdoutBytes() + result.stderrBytes(),
                () -> tail(result, TaskStream.STDOUT, board),
                () -> tail(result, TaskStream.STDERR, board),
                kib -> all(result, TaskStream.STDOUT, result.stdoutBytes(), kib, board),
                kib -> all(result, TaskStream.STDERR, result.stderrBytes(), kib, board)));
    }

    private static Optional<PrintedStream> all(
            SlotResult result, TaskStream stream, long printed, int kib, SlotBoard board) {
        return printed == 0
                ? Optional.empty()
                : Optional.of(board.whole(result, stream, kib)
                        .<PrintedStream>map(Whole::new)
                        .orElseGet(() -> PrintedStream.lost(Math.min(printed, kib * 1024L))));
    }

    private record Whole(WholeStream stream) implements PrintedStream {

        @Override
        public long bytes() {
            return stream.bytes();
        }

        @Override
        public Optional<byte[]> read(long from, int length) {
            return stream.read(from, length);
        }

        @Override
        public void close() {
            stream.close();
        }
    }

    private static byte[] tail(SlotResult result, TaskStream stream, SlotBoard board) {
        return board.tail(result, stream) instanceof FileRead.Content(byte[] bytes) ? bytes : NO_TAIL;
    }

    /** The ending of one task of a batch that ended with this result. */
    static TrialResult of(Outcome outcome, SlotResult result, SlotBoard board) {
        return of(outcome, output(outcome.output(), () -> board.output(result, outcome)));
    }

    /** The ending of one task of a batch that is gone, and its output with it. */
    static TrialResult ofLost(Outcome outcome) {
        return of(outcome, TrialOutput.lost(outcome.output().bytes()));
    }

    private static TrialResult of(Outcome outcome, TrialOutput output) {
        return outcome.passed()
                ? TrialResult.passed(outcome.ran(), output)
                : new TrialResult(
                        TrialResult.Kind.FAILED,
                        -1,
                        0,
                        outcome.reason().word(),
                        Tail.fit(outcome.message()),
                        outcome.ran(),
                        retry(outcome.reason(), outcome.retryAfter()));
    }

    private static TrialOutput output(SlotResult result, SlotBoard board) {
        TrialOutput whole = output(result.output(), () -> board.output(result));
        return new TrialOutput(
                whole.bytes(),
                whole.reader(),
                (from, length) -> switch (board.output(result, from, length)) {
                    case FileRead.Content(byte[] bytes) -> Optional.of(bytes);
                    case FileRead.Gone _ -> Optional.empty();
                    case FileRead.Refused(var violation) -> throw unreadable(violation);
                },
                whole.effects());
    }

    private static IllegalArgumentException unreadable(Violation violation) {
        return new IllegalArgumentException("the output cannot be read: " + violation.text());
    }

    private static TrialOutput output(SlotOutput output, Supplier<FileRead> read) {
        if (output.bytes() == 0) {
            return TrialOutput.NONE;
        }
        ExecutionInput.Format format =
                ExecutionInput.Format.ofCode(output.format().code());
        return new TrialOutput(output.bytes(), () -> switch (read.get()) {
                    case FileRead.Content(byte[] bytes) ->
                        Optional.of(new ExecutionInput.Payload(bytes, format, output.locator()));
                    case FileRead.Gone _ -> Optional.empty();
                    case FileRead.Refused(var violation) -> throw unreadable(violation);
                })
                .announced(format);
    }

    /** The ending of a trial that did not pass, with these words. */
    static TrialResult failed(SlotResult result, boolean draining, String lastWords) {
        return new TrialResult(
                kind(result, draining),
                result.exitCode(),
                result.signal(),
                result.reason().word(),
                lastWords,
                result.ran(),
                retry(result.reason(), result.retryAfter()));
    }

    private static Retry retry(Reason reason, Optional<Duration> after) {
        return reason == Reason.DO_NOT_RETRY
                ? Retry.NEVER
                : after.<Retry>map(Retry.After::new).orElse(Retry.AT_ONCE);
    }

    private static TrialResult.Kind kind(SlotResult result, boolean draining) {
        return switch (result.reason()) {
            // An executor that cuts a task off without a drain does so by itself: were that free, it could go on so
            // without end. What was not started may be handed back a moment before the agent's word arrives.
            case DRAINED -> draining || !result.started() ? TrialResult.Kind.CUT_OFF : TrialResult.Kind.LOST;
            case RUNNER_DIED -> TrialResult.Kind.LOST;
            // CANCELLED too: a result of a task that we called off is never reported, so an executor made it up.
            default -> TrialResult.Kind.FAILED;
        };
    }
}
