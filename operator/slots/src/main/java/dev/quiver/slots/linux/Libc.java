package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Calls into libc, and their errno. {@link Descriptor} and {@link Futex} say what is done with them. */
@SuppressWarnings("restricted")
final class Libc {
    static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle STRERROR = plain("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    /** What a method handle does; a call into C throws nothing, whatever {@code invokeExact} declares. */
    @FunctionalInterface
    interface Call<T, X extends Throwable> {
        T run() throws X;
    }

    /** Runs the call without a checked exception. */
    @SuppressWarnings("unchecked")
    static <T> T call(Call<T, Throwable> call) {
        return ((Call<T, RuntimeException>) (Call<T, ?>) call).run();
    }

    /** A function whose first parameter is the segment for errno. */
    static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = CAPTURE;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, all);
    }

    /** A function whose errno nobody wants. */
    static MethodHandle plain(String name, FunctionDescriptor type, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, options);
    }

    static FunctionDescriptor toInt(MemoryLayout... arguments) {
        return FunctionDescriptor.of(JAVA_INT, arguments);
    }

    static FunctionDescriptor toLong(MemoryLayout... arguments) {
        return FunctionDescriptor.of(JAVA_LONG, arguments);
    }

    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static LinuxException failure(String what, MemorySegment state) {
        int errno = (int) ERRNO.get(state, 0L);
        return new LinuxException(what, errno, message(errno));
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    private static String message(int errno) {
        MemorySegment text = call(() -> (MemorySegment) STRERROR.invokeExact(errno));
        return text.reinterpret(256).getString(0);
    }
}
