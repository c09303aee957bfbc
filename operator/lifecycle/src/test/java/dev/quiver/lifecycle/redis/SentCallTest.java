package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

/** Answer, problem and abandoning: the first one counts, and it alone is told. */
class SentCallTest {

    private final CompletableFuture<String> reply = new CompletableFuture<>();
    private final AtomicInteger discarded = new AtomicInteger();
    private final AtomicInteger read = new AtomicInteger();
    private final List<Object> told = new ArrayList<>();
    private final SentCall<Integer> call = SentCall.of(reply, 100, discarded::incrementAndGet)
            .read(text -> {
                read.incrementAndGet();
                return Integer.parseInt(text);
            });

    private void listen() {
        call.whenKnown((answer, problem) -> told.add(problem == null ? answer : problem));
    }

    @Test
    void tellsWhatTheAnswerMeans() {
        listen();
        reply.complete("7");
        call.abandon();
        assertThat(told).containsExactly(7);
        assertThat(discarded).as("connections ended").hasValue(0);
    }

    @Test
    void dropsAnAnswerThatComesAfterTheAbandoning() {
        listen();
        call.abandon();
        reply.complete("7");
        call.abandon();
        assertThat(told).singleElement().isInstanceOf(StoreUnreachableException.class);
        assertThat(read).as("answers read").hasValue(0);
        assertThat(discarded).as("connections ended").hasValue(1);
    }

    @Test
    void tellsAProblemAsItIs() {
        StoreRefusedException refusal = new StoreRefusedException(StoreRefusedException.Kind.OTHER, "no", null);
        reply.completeExceptionally(refusal);
        listen();
        assertThat(told).containsExactly(refusal);
    }

    @Test
    void tellsAnAnswerThatCannotBeReadAsAProblem() {
        listen();
        reply.complete("seven");
        assertThat(told).singleElement().isInstanceOf(NumberFormatException.class);
    }

    @Test
    void isLateWhenItsTimeIsUp() {
        assertThat(call.nanosLeft(40)).isEqualTo(60);
        assertThat(call.nanosLeft(100)).isZero();
    }
}
