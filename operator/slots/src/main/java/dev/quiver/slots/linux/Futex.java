package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/**
 * Waiting on a 32-bit word in memory shared between processes, and waking all who do. Works on read-only mappings. Both
 * are hints: the caller looks at the word again, whatever came back.
 */
public final class Futex {
    private static final long SYS_FUTEX = Libc.ARM ? 98 : 202;
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final MethodHandle SYSCALL = Libc.plain(
            "syscall",
            Libc.toLong(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(1));

    private Futex() {}

    /**
     * Sleeps while the word holds the value, at most the time. Blocks the platform thread: not for virtual threads.
     */
    public static void await(MemorySegment word, int value, Duration time) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(JAVA_LONG, 2);
            limit.setAtIndex(JAVA_LONG, 0, time.toSeconds());
            limit.setAtIndex(JAVA_LONG, 1, time.toNanosPart());
            invoke(word, WAIT, value, limit);
        }
    }

    /** Wakes everybody who sleeps on the word: a stranger among them must not swallow the wake. */
    public static void wakeAll(MemorySegment word) {
        invoke(word, WAKE, Integer.MAX_VALUE, MemorySegment.NULL);
    }

    private static long invoke(MemorySegment word, int operation, int value, MemorySegment limit) {
        return Libc.call(
                () -> (long) SYSCALL.invokeExact(SYS_FUTEX, word, operation, value, limit, MemorySegment.NULL, 0));
    }
}
