package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;

/** The wait for a connection ends, whatever the library does. */
class RedisDialerTest {

    private static final Duration SHORT = Duration.ofMillis(20);

    @Test
    void aConnectionThatNeverComesIsGivenUp() {
        CompletableFuture<String> never = new CompletableFuture<>();
        assertThatThrownBy(() -> RedisDialer.within(never, SHORT))
                .isInstanceOf(RedisConnectionException.class)
                .hasMessage("no connection within 20 ms");
        assertThat(never).isCancelled();
    }

    @Test
    void theWordsOfTheLibraryStay() {
        RedisException known = new RedisException("WRONGPASS");
        assertThatThrownBy(() -> RedisDialer.within(CompletableFuture.failedFuture(known), SHORT))
                .isSameAs(known);
        assertThatThrownBy(() ->
                        RedisDialer.within(CompletableFuture.failedFuture(new ConnectException("refused")), SHORT))
                .isInstanceOf(RedisException.class)
                .hasMessage("no connection: refused");
        assertThat(RedisDialer.within(CompletableFuture.completedFuture("here"), SHORT))
                .isEqualTo("here");
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> RedisDialer.within(new CompletableFuture<>(), Duration.ofMinutes(1)))
                .isInstanceOf(RedisConnectionException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
