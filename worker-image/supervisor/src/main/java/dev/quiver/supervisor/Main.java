package dev.quiver.supervisor;

import java.io.IOException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.slots.SlotsException;

/**
 * The supervisor's process. Ends with 0 when it was told to, or when its pool is gone. Ends with 1 when it cannot go
 * on, and with 2 when it was configured wrongly.
 */
public final class Main {

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    /** Runs until SIGTERM; takes no arguments, everything comes by environment (see {@link Settings}). */
    public static void main(String[] args) throws InterruptedException {
        try {
            Pod pod = Pod.start(Settings.from(System.getenv()));
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("shutdown").unstarted(() -> shutDown(pod)));
            pod.awaitEnd();
            System.exit(0);
        } catch (SettingsException | IllegalArgumentException wrong) {
            LOG.error("{}", wrong.getMessage());
            System.exit(2);
        } catch (SlotsException | IOException impossible) {
            LOG.error("cannot start: {}", impossible.getMessage());
            System.exit(1);
        }
    }

    private static void shutDown(Pod pod) {
        pod.end();
        LOG.info("closed");
        // Without this the exit code would tell of the signal, and the pod would look as if it had failed.
        Runtime.getRuntime().halt(pod.faulty() ? 1 : 0);
    }
}
