package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

class StoreCallsTest {

    private final StoreWatch watch = new StoreWatch(new WellServer(), Clock.systemUTC(), _ -> {});
    private final List<StaleLeaderException> stale = new ArrayList<>();
    private final StoreCalls calls = new StoreCalls(watch, Clock.systemUTC(), stale::add);

    private String ask(RuntimeException failure) {
        return calls.ask(
                () -> {
                    if (failure != null) {
                        throw failure;
                    }
                    return "answer";
                },
                away -> away.reason().name());
    }

    @Test
    void aRedisThatIsAwayIsNotAsked() {
        assertThat(ask(new AssertionFailure())).isEqualTo(StoreReason.NotAsked.name());
        assertThat(calls.tryRun(() -> {
                    throw new AssertionFailure();
                }))
                .isFalse();
    }

    private static final class AssertionFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void anAnswerIsPassedOn() {
        watch.look();
        assertThat(ask(null)).isEqualTo("answer");
        assertThat(calls.tryRun(() -> {})).isTrue();
    }

    @Test
    void aCallThatFailsHasTheReasonOfItsFailure() {
        watch.look();
        assertThat(ask(new StoreUnreachableException("cut", null))).isEqualTo(StoreReason.Unreachable.name());
        assertThat(ask(new StoreRefusedException(StoreRefusedException.Kind.OUT_OF_MEMORY, "full", null)))
                .isEqualTo(StoreReason.OutOfMemory.name());
        assertThatThrownBy(() -> ask(new AssertionFailure())).isInstanceOf(AssertionFailure.class);
    }

    @Test
    void aLeaderThatWasReplacedHearsOfIt() {
        watch.look();
        StaleLeaderException later = new StaleLeaderException(Keyspace.ofNamespace("a"), 1, 2);
        assertThatThrownBy(() -> ask(later)).isSameAs(later);
        assertThat(stale).containsExactly(later);
    }
}
