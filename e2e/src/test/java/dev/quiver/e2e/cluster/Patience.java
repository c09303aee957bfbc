package dev.quiver.e2e.cluster;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How long a test waits if it does not say: a bound that only ends one that hangs, however busy the machine. A look that
 * fails, because an API server is away or a process has just ended, is followed by another.
 */
public final class Patience implements LauncherSessionListener {

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(5));
        Awaitility.ignoreExceptionsByDefault();
    }
}
