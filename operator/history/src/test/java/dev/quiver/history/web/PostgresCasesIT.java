package dev.quiver.history.web;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.store.Database;

/** Cases of reports over a real PostgreSQL. */
class PostgresCasesIT extends CasesContract {

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
        return postgres.database("cases" + NEXT.incrementAndGet());
    }
}
