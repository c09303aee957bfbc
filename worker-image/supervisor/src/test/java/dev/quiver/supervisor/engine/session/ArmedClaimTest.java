package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;

class ArmedClaimTest {

    private static final StepRequest REQUEST = new StepRequest(List.of(), List.of(Place.queued(1)), List.of());

    private final List<StepRequest> prepared = new ArrayList<>();
    private final List<StepCall> sent = new ArrayList<>();

    private ArmedClaim armed() {
        MemorySource source = new MemorySource("a", Optional.empty(), Optional.empty(), request -> {
            prepared.add(request);
            return null;
        });
        return new ArmedClaim(source, REQUEST, sent::add);
    }

    @Test
    void theTokenOfItsSourceSendsItOnce() {
        ArmedClaim claim = armed();
        assertThat(claim.fire("b")).isFalse();
        assertThat(claim.fire("")).as("the token that names no source").isFalse();
        assertThat(prepared).as("before it is sent it has no number").isEmpty();
        assertThat(claim.fire("a")).isTrue();
        assertThat(claim.fire("a")).isFalse();
        assertThat(prepared).containsExactly(REQUEST);
        assertThat(sent).hasSize(1);
        assertThat(claim.withdraw()).as("once it is on its way").isFalse();
    }

    @Test
    void withdrawnItIsNeverSent() {
        ArmedClaim claim = armed();
        assertThat(claim.withdraw()).isTrue();
        assertThat(claim.fire("a")).isFalse();
        assertThat(sent).isEmpty();
    }

    @Test
    void itIsEitherSentOrWithdrawn() throws Exception {
        for (int round = 0; round < 500; round++) {
            ArmedClaim claim = armed();
            CyclicBarrier together = new CyclicBarrier(2);
            AtomicInteger fired = new AtomicInteger();
            Thread connection = Thread.ofPlatform().start(() -> {
                meet(together);
                fired.set(claim.fire("a") ? 1 : 0);
            });
            meet(together);
            boolean withdrawn = claim.withdraw();
            connection.join();
            assertThat(fired.get() == 1).isNotEqualTo(withdrawn);
        }
    }

    private static void meet(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
