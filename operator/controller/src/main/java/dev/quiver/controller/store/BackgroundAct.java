package dev.quiver.controller.store;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Acts that run one at a time on a thread of their own. One that comes while another runs is left out. Thread-safe. */
final class BackgroundAct implements AutoCloseable {

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean running = new AtomicBoolean();
    private final Consumer<RuntimeException> failed;

    /**
     * None runs yet.
     *
     * @param failed is told of the failure of an act; the next act can begin after that
     */
    BackgroundAct(Consumer<RuntimeException> failed) {
        this.failed = failed;
    }

    /** Begins the act, unless one runs. */
    void begin(Runnable act) {
        if (!running.compareAndSet(false, true)) {
            return;
        }
        executor.submit(() -> {
            try {
                act.run();
            } catch (RuntimeException e) {
                failed.accept(e);
            } finally {
                running.set(false);
            }
        });
    }

    /** Interrupts the act that runs, and waits for nothing. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
