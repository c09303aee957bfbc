package dev.quiver.sdk;

import java.util.List;
import java.util.Map;

/** Serves functions by name, in a process that a worker pool has started as its {@code handler.command}. */
public final class Handlers {
    private Handlers() {}

    /**
     * Announces the names and runs one task after the other in the calling thread until the worker ends. Exits the
     * process when a task kept memory of its input: the worker replaces it.
     *
     * <p>A worker may dispatch several tasks at once. A {@link BatchHandler} gets them in one call, any other handler one
     * after the other.
     *
     * <p>A {@link PlanHandler} and a {@link ContingencyHandler} count as functions. Their names are that of their own function
     * with {@value PlanHandler#SUFFIX} or {@value ContingencyHandler#SUFFIX} behind it.
     *
     * @param handlers 1 to 64 functions by their names of 1 to 128 bytes
     * @throws IllegalArgumentException in words, for names that cannot be announced
     * @throws IllegalStateException in words, when this process was not started by a worker
     */
    public static void serve(Map<String, ? extends Handler> handlers) {
        Names.checkUnreserved(handlers.keySet());
        Map<String, Handler> served = Beside.served(handlers);
        List<String> names = List.copyOf(served.keySet());
        String joined = Names.joined(names);
        Slot slot = Slot.open();
        Work work = new Work(served, names, slot);
        Thread watcher = Thread.ofPlatform().daemon().name("quiver-watch").start(work::watch);
        slot.announce(joined);
        if (!work.run()) {
            System.exit(0);
        }
        join(watcher);
        slot.close();
    }

    private static void join(Thread watcher) {
        boolean interrupted = false;
        while (true) {
            try {
                watcher.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
