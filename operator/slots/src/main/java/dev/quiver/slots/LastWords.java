package dev.quiver.slots;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** The message about a failed trial. Pure, but for the tails that are read when they are wanted. */
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

    /**
     * At most {@code maxBytes} bytes of valid UTF-8. For a failed command the last lines of stdout, where test runners
     * print what failed, come before those of stderr.
     */
    static String of(SlotResult result, int maxBytes, Supplier<FileRead> stderr, Supplier<FileRead> stdout) {
        Source source = source(result.reason());
        String message = Texts.lastLines(Texts.utf8(result.message(), maxBytes), maxBytes);
        if (source == Source.MESSAGE) {
            return message;
        }
        return switch (stderr.get()) {
            case FileRead.Content(byte[] bytes) -> {
                String lines = source == Source.LINES
                        ? ofBoth(stdout.get(), bytes, maxBytes)
                        : Texts.lastLines(bytes, maxBytes);
                boolean linesAlone = source == Source.LINES || lines.contains(message);
                yield linesAlone && !lines.isEmpty() ? lines : both(message, lines, maxBytes);
            }
            case FileRead.Gone() -> message;
            // The task could do that to itself, so it is no reason to replace the pod; but it is said.
            case FileRead.Refused(Violation found) ->
                both(message, "its stderr cannot be shown: " + found.text(), maxBytes);
        };
    }

    /** Each gets half of the room, and what the other one leaves. */
    private static String ofBoth(FileRead stdout, byte[] stderr, int maxBytes) {
        byte[] printed = stdout instanceof FileRead.Content(byte[] bytes) ? bytes : new byte[0];
        int half = (maxBytes - 1) / 2;
        int errors = length(Texts.lastLines(stderr, maxBytes));
        int others = length(Texts.lastLines(printed, maxBytes));
        if (errors == 0 || others == 0) {
            return Texts.lastLines(errors == 0 ? printed : stderr, maxBytes);
        }
        String above = Texts.lastLines(printed, Math.max(half, maxBytes - 1 - errors));
        return above + "\n" + Texts.lastLines(stderr, maxBytes - 1 - length(above));
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
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
