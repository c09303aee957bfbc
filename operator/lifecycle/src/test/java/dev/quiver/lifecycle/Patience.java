package dev.quiver.lifecycle;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets every wait of this module's tests that names no bound of its own take minutes: its end is there for what never
 * comes, and on a busy machine Awaitility's 10 s are none. JUnit finds it by itself.
 */
public final class Patience implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
    }
}
