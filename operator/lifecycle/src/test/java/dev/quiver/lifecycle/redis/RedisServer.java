package dev.quiver.lifecycle.redis;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives a test class a redis-server of its own: {@code @RegisterExtension static final RedisServer REDIS = new
 * RedisServer();}. Skips the class where the machine has none.
 */
public final class RedisServer implements BeforeAllCallback, AfterAllCallback {

    private final String[] options;
    private RedisProcess process;
    private RedisStore store;

    /** With further options as on its command line. */
    public RedisServer(String... options) {
        this.options = options.clone();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        process = RedisProcess.start(options);
        store = process.open();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (store != null) {
            store.close();
        }
        if (process != null) {
            process.close();
        }
    }

    /** The running server. */
    public RedisProcess process() {
        return process;
    }

    /** How to reach it. */
    public RedisEndpoint endpoint() {
        return process.endpoint();
    }

    /** The store over it that all tests of the class share; it is closed with the server. */
    public RedisStore store() {
        return store;
    }

    /** A further store over it, to be closed by the caller. */
    public RedisStore open() {
        return process.open();
    }
}
