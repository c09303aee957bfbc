package dev.quiver.lifecycle;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Bounds every wait of a test that names no bound of its own, here and in the controller. The bound ends a wait for what
 * never comes, however busy the machine; it tells nothing about how quick anything is. JUnit finds this class by itself.
 * The tests of the slots have the same one: neither module waits for the other in the build.
 */
public final class Patience implements LauncherSessionListener {

    /** The bound of one wait. */
    public static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration LOOK = Duration.ofMillis(50);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(LIMIT);
        Awaitility.setDefaultPollInterval(LOOK);
    }
}
