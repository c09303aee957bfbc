package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundActTest {

    private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final BackgroundAct act = new BackgroundAct(failures::add);

    @AfterEach
    void end() {
        act.close();
    }

    @Test
    void oneThatComesWhileAnotherRunsIsLeftOut() {
        CountDownLatch end = new CountDownLatch(1);
        act.begin(() -> {
            begun.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        act.begin(begun::incrementAndGet);
        end.countDown();
        Awaitility.await().untilAsserted(() -> {
            act.begin(() -> begun.addAndGet(10));
            assertThat(begun.get())
                    .isPositive()
                    .isEqualTo(begun.get() / 10 * 10 + 1)
                    .isGreaterThan(10);
        });
    }

    @Test
    void anotherOneBeginsAfterAFailure() {
        RuntimeException failure = new IllegalStateException("no");
        act.begin(() -> {
            throw failure;
        });
        Awaitility.await().untilAsserted(() -> {
            act.begin(begun::incrementAndGet);
            assertThat(begun.get() % 10).as("the first alone of the first two").isOne();
            assertThat(begun.get()).isGreaterThan(10);
        });
        assertThat(failures).containsExactly(failure);
    }
}
