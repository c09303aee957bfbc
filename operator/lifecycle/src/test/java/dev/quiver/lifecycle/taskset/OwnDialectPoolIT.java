package dev.quiver.lifecycle.taskset;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.RedisServer;
import dev.quiver.lifecycle.RedisStore;

/** The pools' contract on the own dialect and a real Redis. */
class OwnDialectPoolIT extends PoolContract {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static RedisStore store;

    @BeforeAll
    static void connect() {
        store = REDIS.open();
    }

    @AfterAll
    static void disconnect() {
        store.close();
    }

    @Override
    TaskSetDialect dialect() {
        return new OwnDialect(store);
    }
}
