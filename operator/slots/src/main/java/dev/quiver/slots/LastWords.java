package dev.quiver.slots;

import java.util.function.Supplier;

/** What to say about a failed attempt. Pure, but for the tail that is read when it is wanted. */
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
        String lines = source != Source.MESSAGE && stderr.get() instanceof FileRead.Content(byte[] bytes)
                ? Texts.lastLines(bytes, maxBytes)
                : "";
        if (lines.isEmpty()) {
            return message;
        }
        return source == Source.LINES || message.isEmpty() || lines.contains(message)
                ? lines
                : both(message, lines, maxBytes);
    }

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
