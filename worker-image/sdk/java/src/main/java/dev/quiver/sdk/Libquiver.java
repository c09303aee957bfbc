package dev.quiver.sdk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The functions of quiver/handler.h, which says what each of them promises. */
@SuppressWarnings("restricted")
final class Libquiver {
    private static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(Path.of(System.getenv("QUIVER_LIB")), Arena.global());

    static final MethodHandle OPEN = function("qv_handler_open", ADDRESS, ADDRESS, JAVA_INT);
    static final MethodHandle CLOSE = action("qv_handler_close", ADDRESS);
    static final MethodHandle WORDS = function("qv_handler_words", ADDRESS, ADDRESS);
    static final MethodHandle SLOT = function("qv_handler_slot", JAVA_INT, ADDRESS);
    static final MethodHandle ANNOUNCE = function("qv_handler_announce", JAVA_INT, ADDRESS, ADDRESS);
    static final MethodHandle TAKE = function("qv_handler_take", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    static final MethodHandle EVENT = function("qv_handler_event", JAVA_INT, ADDRESS, ADDRESS);
    static final MethodHandle PACKET = function("qv_handler_packet", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);
    static final MethodHandle CANCELLED = function("qv_task_cancelled", JAVA_INT, ADDRESS);
    static final MethodHandle PROGRESS = action("qv_task_progress", ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle EXTEND = action("qv_task_extend", ADDRESS, JAVA_LONG);
    static final MethodHandle DEADLINE = function("qv_task_deadline", JAVA_LONG, ADDRESS);
    static final MethodHandle WRITE = function("qv_task_write", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle REWRITE = function("qv_task_rewrite", JAVA_INT, ADDRESS);
    static final MethodHandle FORMAT = action("qv_task_format", ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle COMPLETE = function("qv_task_complete", JAVA_INT, ADDRESS);
    static final MethodHandle FAIL = function("qv_task_fail", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle SETTLE = function("qv_task_settle", JAVA_INT, ADDRESS);
    static final MethodHandle REPLACE = function("qv_task_replace", JAVA_INT, ADDRESS);
    static final MethodHandle RELEASE = function("qv_task_release", JAVA_INT, ADDRESS);

    /** Whether the worker image can dispatch several tasks at once; without it the next ones are null. */
    static final boolean BATCHES = LIBRARY.find("qv_handler_batches").isPresent();

    static final MethodHandle TAKES_BATCHES = ofBatches("qv_handler_batches", ADDRESS);
    static final MethodHandle BATCH_LEFT = ofBatches("qv_batch_left", ADDRESS);
    static final MethodHandle BATCH_WHOLE = ofBatches("qv_batch_whole", ADDRESS);
    static final MethodHandle BATCH_TASK = ofBatches("qv_batch_task", ADDRESS, JAVA_INT, ADDRESS);
    static final MethodHandle BATCH_FAIL = ofBatches("qv_batch_fail", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);

    /** Null where the worker image does not know it. */
    static final MethodHandle LET_GO =
            LIBRARY.find("qv_task_let_go").isPresent() ? action("qv_task_let_go", ADDRESS) : null;

    private Libquiver() {}

    /** A method handle's call; a call into C throws nothing, whatever {@code invokeExact} declares. */
    @FunctionalInterface
    interface Call<T, X extends Throwable> {
        T run() throws X;
    }

    @SuppressWarnings("unchecked")
    static <T> T call(Call<T, Throwable> call) {
        return ((Call<T, RuntimeException>) (Call<T, ?>) call).run();
    }

    /** The text at this address. */
    static String text(MemorySegment address) {
        return address.reinterpret(4096).getString(0);
    }

    private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        return link(name, FunctionDescriptor.of(result, arguments));
    }

    private static MethodHandle ofBatches(String name, MemoryLayout... arguments) {
        return BATCHES ? function(name, JAVA_INT, arguments) : null;
    }

    private static MethodHandle action(String name, MemoryLayout... arguments) {
        return link(name, FunctionDescriptor.ofVoid(arguments));
    }

    private static MethodHandle link(String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), type);
    }
}
