package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.TaskInput;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotOutput;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;
import dev.quiver.slots.Verdict;
import dev.quiver.slots.WholeStream;

/** The meaning of the executor's account of an attempt for its task. */
final class AttemptResults {

    private static final byte[] NO_TAIL = {};

    private AttemptResults() {}

    /**
     * The ending with the last words of stderr, read while the slot still has them.
     *
     * @param draining whether the agent has said that its container ends
     */
    static AttemptResult of(SlotResult result, boolean draining, SlotBoard board) {
        AttemptResult ending = result.passed()
                ? AttemptResult.passed(result.ran(), output(result.output(), () -> board.output(result)))
                : failed(result, draining, board.lastWords(result, Tail.MAX_BYTES));
        return ending.using(new AttemptUse(
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
    static AttemptResult of(Verdict verdict, SlotResult result, SlotBoard board) {
        return of(verdict, output(verdict.output(), () -> board.output(result, verdict)));
    }

    /** The ending of one task of a batch that is gone, and its output with it. */
    static AttemptResult ofLost(Verdict verdict) {
        return of(verdict, AttemptOutput.lost(verdict.output().bytes()));
    }

    private static AttemptResult of(Verdict verdict, AttemptOutput output) {
        return verdict.passed()
                ? AttemptResult.passed(verdict.ran(), output)
                : new AttemptResult(
                        AttemptResult.Kind.FAILED,
                        -1,
                        0,
                        verdict.reason().word(),
                        Tail.fit(verdict.message()),
                        verdict.ran(),
                        retry(verdict.reason(), verdict.retryAfter()));
    }

    private static AttemptOutput output(SlotOutput output, Supplier<FileRead> read) {
        return output.bytes() == 0
                ? AttemptOutput.NONE
                : new AttemptOutput(output.bytes(), () -> switch (read.get()) {
                    case FileRead.Content(byte[] bytes) ->
                        Optional.of(new TaskInput.Payload(
                                bytes, TaskInput.Format.ofCode(output.format().code()), output.locator()));
                    case FileRead.Gone _ -> Optional.empty();
                    case FileRead.Refused(var violation) ->
                        throw new IllegalArgumentException("the output cannot be read: " + violation.text());
                });
    }

    /** The ending of an attempt that did not pass, with these words. */
    static AttemptResult failed(SlotResult result, boolean draining, String lastWords) {
        return new AttemptResult(
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

    private static AttemptResult.Kind kind(SlotResult result, boolean draining) {
        return switch (result.reason()) {
            // An executor that cuts a task off without a drain does so by itself: were that free, it could go on so
            // without end. What was not started may be handed back a moment before the agent's word arrives.
            case DRAINED -> draining || !result.started() ? AttemptResult.Kind.CUT_OFF : AttemptResult.Kind.LOST;
            case RUNNER_DIED -> AttemptResult.Kind.LOST;
            // CANCELLED too: a result of a task that we called off is never reported, so an executor made it up.
            default -> AttemptResult.Kind.FAILED;
        };
    }
}
