package dev.quiver.slots;

import java.util.function.Supplier;

/** The message about a failed attempt. Pure, but for the tail that is read when it is wanted. */
final class LastWords {
    private enum Source {
        /** The task's own lines say it best; the executor's message, if there are none. */
        LINES,
        /** The executor's message, and what lines there are. */
        BOTH,
        /** The message only: the task had no say in it. */
        MESSAGE
    }

    private LastWords() {}

    /** At most {@code maxBytes} bytes of valid UTF-8. */
    static String of(SlotResult result, int maxBytes, Supplier<FileRead> stderr) {
        Source source = source(result.reason());
        String message = Texts.lastLines(Texts.utf8(result.message(), maxBytes), maxBytes);
        if (source == Source.MESSAGE) {
            return message;
        }
        return switch (stderr.get()) {
            case FileRead.Content(byte[] bytes) -> {
                String lines = Texts.lastLines(bytes, maxBytes);
                boolean linesAlone = source == Source.LINES || lines.contains(message);
                yield linesAlone && !lines.isEmpty() ? lines : both(message, lines, maxBytes);
            }
            case FileRead.Gone() -> message;
            // The task could do that to itself, so it is no reason to replace the pod; but it is said.
            case FileRead.Refused(Violation found) ->
                both(message, "its stderr cannot be shown: " + found.text(), maxBytes);
        };
    }

    /** One under the other, the lines cut to what the message leaves. */
    private static String both(String message, String lines, int maxBytes) {
        int room = maxBytes - Texts.utf8(message, maxBytes).length - 1;
        return room <= 0 ? message : (message + "\n" + Texts.lastLines(Texts.utf8(lines, maxBytes), room)).strip();
    }

    private static Source source(Reason reason) {
        return switch (reason) {
            case NON_ZERO_EXIT, SIGNALLED -> Source.LINES;
            case EXCEPTION, DO_NOT_RETRY, HANDLER_DIED, INPUT_INVALID, TIMED_OUT -> Source.BOTH;
            default -> Source.MESSAGE;
        };
    }
}
