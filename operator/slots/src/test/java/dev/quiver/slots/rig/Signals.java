package dev.quiver.slots.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import org.awaitility.Awaitility;

/** Signals to processes that a test started. */
public final class Signals {
    private Signals() {}

    public static void send(long pid, String signal) {
        try {
            int code = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new AssertionError("no process " + pid + " for " + signal);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The child of this process with this name, once it is there. */
    public static long child(ProcessHandle parent, String name) {
        Supplier<OptionalLong> look = () -> parent.children()
                .filter(child -> name(child.pid()).equals(name))
                .mapToLong(ProcessHandle::pid)
                .findFirst();
        return Awaitility.await(name).until(look::get, OptionalLong::isPresent).getAsLong();
    }

    /** Seconds for sleepers that no other test counts, of this or of another checkout's on the same machine. */
    public static String unique() {
        return Long.toString(1_000_000 + ThreadLocalRandom.current().nextInt(100_000_000));
    }

    /** How many processes have a command line that ends in these words. */
    public static long running(String... words) {
        String end = String.join("\0", words) + "\0";
        return ProcessHandle.allProcesses()
                .filter(process -> ("\0" + read("/proc/" + process.pid() + "/cmdline")).endsWith("\0" + end))
                .count();
    }

    private static String name(long pid) {
        return read("/proc/" + pid + "/comm").strip();
    }

    private static String read(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException e) {
            return "";
        }
    }
}
