package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SilentTimerTest {

    private final SilentTimer timer = new SilentTimer();

    @AfterEach
    void stop() {
        timer.stop();
    }

    @Test
    void runsATaskWhenItsTimeHasCome() throws Exception {
        CompletableFuture<Timeout> ran = new CompletableFuture<>();
        long begun = System.nanoTime();
        Timeout pending = timer.newTimeout(ran::complete, 30, TimeUnit.MILLISECONDS);
        assertThat(ran.get(10, TimeUnit.SECONDS)).isSameAs(pending);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
        assertThat(pending.isExpired()).isTrue();
        assertThat(pending.cancel()).isFalse();
        assertThat(pending.timer()).isSameAs(timer);
    }

    @Test
    void aCancelledTaskNeverRuns() throws Exception {
        CompletableFuture<Timeout> ran = new CompletableFuture<>();
        Timeout pending = timer.newTimeout(ran::complete, 20, TimeUnit.MILLISECONDS);
        assertThat(pending.cancel()).isTrue();
        CompletableFuture<Timeout> later = new CompletableFuture<>();
        timer.newTimeout(later::complete, 40, TimeUnit.MILLISECONDS);
        assertThat(later.get(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(ran).isNotDone();
        assertThat(pending.isCancelled()).isTrue();
        assertThat(pending.isExpired()).isFalse();
    }

    @Test
    void goesOnAfterATaskThatFailed() throws Exception {
        timer.newTimeout(
                timeout -> {
                    throw new IllegalStateException("on purpose");
                },
                0,
                TimeUnit.MILLISECONDS);
        CompletableFuture<Timeout> later = new CompletableFuture<>();
        timer.newTimeout(later::complete, 1, TimeUnit.MILLISECONDS);
        assertThat(later.get(10, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void takesNothingAfterItsStop() {
        timer.stop();
        assertThatThrownBy(() -> timer.newTimeout(timeout -> {}, 1, TimeUnit.MILLISECONDS))
                .isInstanceOf(IllegalStateException.class);
    }
}
