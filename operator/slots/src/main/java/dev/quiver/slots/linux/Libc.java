package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Calls into libc, and their errno. {@link Descriptor} and {@link Futex} say what is done with them.
 *
 * <p>One method handle serves all functions. The JVM makes the classes of a shape of call anew at each start, and no
 * AOT cache holds them. A supervisor's start makes 366 classes with a shape for each function, and 113 with one.
 */
@SuppressWarnings("restricted")
final class Libc {
    static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /**
     * Six integers or pointers, each in a register of its own. A function with fewer parameters never reads the others,
     * and one with variable arguments finds them where it looks. An {@code int} is the low half of the result.
     */
    private static final MethodHandle CALL = LINKER.downcallHandle(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.captureCallState("errno"));

    private static final MemorySegment STRERROR = function("strerror");

    /** Where the errno goes that nobody wants. */
    static final MemorySegment UNREAD = Arena.global().allocate(STATE);

    @FunctionalInterface
    private interface Call<X extends Throwable> {
        long run() throws X;
    }

    private Libc() {}

    static MemorySegment function(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    /**
     * Calls a function. Pointers are addresses: the caller keeps their segments alive until the call is over.
     *
     * @param state where errno goes; see {@link #state}
     */
    static long call(
            MemorySegment function,
            MemorySegment state,
            long one,
            long two,
            long three,
            long four,
            long five,
            long six) {
        return run(() -> (long) CALL.invokeExact(function, state, one, two, three, four, five, six));
    }

    /** A call into C throws nothing, whatever {@code invokeExact} declares. */
    @SuppressWarnings("unchecked")
    private static long run(Call<Throwable> call) {
        return ((Call<RuntimeException>) (Call<?>) call).run();
    }

    static long call(MemorySegment function, MemorySegment state, long one, long two, long three, long four) {
        return call(function, state, one, two, three, four, 0, 0);
    }

    static long call(MemorySegment function, MemorySegment state, long one, long two, long three) {
        return call(function, state, one, two, three, 0, 0, 0);
    }

    static long call(MemorySegment function, MemorySegment state, long one, long two) {
        return call(function, state, one, two, 0, 0, 0, 0);
    }

    /** One whose errno nobody wants. */
    static long plain(MemorySegment function, long one, long two, long three) {
        return call(function, UNREAD, one, two, three, 0, 0, 0);
    }

    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static LinuxException failure(String what, MemorySegment state) {
        int errno = errno(state);
        return new LinuxException(what, errno, message(errno));
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    private static String message(int errno) {
        return MemorySegment.ofAddress(plain(STRERROR, errno, 0, 0))
                .reinterpret(256)
                .getString(0);
    }
}
