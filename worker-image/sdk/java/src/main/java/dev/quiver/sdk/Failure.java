package dev.quiver.sdk;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The account of a trial that did not pass.
 *
 * @param reason as numbered in the slot
 * @param text "Type: message"
 * @param trace the stack trace down to the handler, its most telling line once more at the end; may be empty
 * @param retryAfterMillis 0 for whenever
 */
record Failure(int reason, String text, String trace, long retryAfterMillis) implements Outcome {
    private static final int OUTPUT_TOO_LARGE = 11;
    private static final int EXCEPTION = 17;
    private static final int DO_NOT_RETRY = 18;
    private static final int HANDLER_NOT_FOUND = 19;
    private static final int INPUT_INVALID = 21;
    private static final int BLOCKED = 22;
    private static final int MOST_LINES = 100;
    /** Where the handler's own frames end; by name, as those classes use this one. */
    private static final List<String> OURS = Stream.of(
                    "Work",
                    "WholeCall",
                    "BatchHandler",
                    "IteratorHandler",
                    "Beside",
                    "PlanHandler",
                    "ContingencyHandler")
            .map(type -> "at " + Failure.class.getPackageName() + "." + type + ".")
            .toList();

    static Failure of(Throwable thrown) {
        String text = thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        return switch (thrown) {
            case InputInvalidException e -> new Failure(INPUT_INVALID, String.valueOf(e.getMessage()), "", 0);
            case DoNotRetryException e -> new Failure(DO_NOT_RETRY, text, trace(e, text), 0);
            case BlockedException e ->
                new Failure(BLOCKED, e.resource(), "", Math.max(1, e.lasts().toMillis()));
            case RetryAfterException e -> new Failure(EXCEPTION, text, trace(e, text), millis(e));
            default -> new Failure(EXCEPTION, text, trace(thrown, text), 0);
        };
    }

    static Failure tooLarge(long bytes, long limit) {
        return new Failure(
                OUTPUT_TOO_LARGE,
                "output: " + bytes + " bytes, the slot takes " + limit + ": write it to a volume and return a locator",
                "",
                0);
    }

    static Failure notServed(String name, List<String> served) {
        return new Failure(
                HANDLER_NOT_FOUND, "no handler '" + name + "' here; served are: " + String.join(", ", served), "", 0);
    }

    /** The reason that the slot gives for stopping a task. */
    static Failure calledOff(int reason) {
        return new Failure(reason, "stopped", "", 0);
    }

    /** As nobody keeps one of a task among several. */
    Failure withoutTrace() {
        return new Failure(reason, text, "", retryAfterMillis);
    }

    private static long millis(RetryAfterException e) {
        try {
            return Math.max(1, e.delay().toMillis());
        } catch (ArithmeticException beyond) {
            return Long.MAX_VALUE;
        }
    }

    private static String trace(Throwable thrown, String text) {
        StringWriter all = new StringWriter();
        thrown.printStackTrace(new PrintWriter(all));
        StackTraceElement[] frames = thrown.getStackTrace();
        return all.toString()
                        .lines()
                        .takeWhile(line -> OURS.stream().noneMatch(line.strip()::startsWith))
                        .limit(MOST_LINES)
                        .collect(Collectors.joining("\n"))
                + "\n" + text + (frames.length == 0 ? "" : " (" + frames[0] + ")") + "\n";
    }
}
