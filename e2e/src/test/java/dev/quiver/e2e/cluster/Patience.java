package dev.quiver.e2e.cluster;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Bounds every wait of a test that names no bound of its own. The bound ends a wait for what never comes, however busy
 * the machine; it tells nothing about how quick anything is. JUnit finds this class by itself. A look that fails, because
 * an API server is away or a process has just ended, is followed by another.
 */
public final class Patience implements LauncherSessionListener {

    /** The bound of one wait. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(LIMIT);
        Awaitility.ignoreExceptionsByDefault();
    }
}
