package dev.quiver.history.store;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import dev.quiver.history.rig.PostgresProcess;

/** Packs in a real PostgreSQL. */
class PostgresPacksIT extends PacksContract {

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static PostgresProcess postgres;

    @BeforeAll
    static void start() {
        postgres = PostgresProcess.start();
    }

    @AfterAll
    static void stop() {
        if (postgres != null) {
            postgres.close();
        }
    }

    @Override
    Database open() {
        return postgres.database("packs" + NEXT.incrementAndGet());
    }
}
