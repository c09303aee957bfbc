package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SharesTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Shares shares = new Shares(16);

    private Optional<Shares.Held> take(String owner, long amount) {
        return shares.take(owner, amount, Duration.ZERO);
    }

    @Test
    void anOwnerHoldsAsMuchAsItLeavesFree() {
        assertThat(take("a", 4)).isPresent();
        assertThat(take("a", 4)).isPresent();
        assertThat(take("a", 1)).as("more than half").isEmpty();
        assertThat(take("b", 4)).isPresent();
        assertThat(take("b", 1)).as("more than half of the rest").isEmpty();
        assertThat(take("c", 2)).isPresent();
    }

    @Test
    void onePieceThatIsLargerThanAllIsAllOfIt() {
        Shares.Held all = take("a", Long.MAX_VALUE).orElseThrow();
        assertThat(take("b", 1)).isEmpty();
        all.close();
        assertThat(take("b", 1)).isPresent();
    }

    @Test
    void anOwnerMayHaveABoundOfItsOwn() {
        Shares bounded = new Shares(100, 2);
        assertThat(bounded.take("a", 2, Duration.ZERO)).isPresent();
        assertThat(bounded.take("a", 1, Duration.ZERO)).isEmpty();
        assertThat(bounded.take("b", 1, Duration.ZERO)).isPresent();
    }

    @Test
    void whatIsHeldGrowsWithinTheSameBounds() {
        Shares.Held held = take("a", 1).orElseThrow();
        assertThat(held.resize(8)).isTrue();
        assertThat(held.resize(9)).isFalse();
        assertThat(held.resize(2)).isTrue();
        assertThat(take("b", 4)).isPresent();
        held.close();
        assertThat(take("c", 6)).isPresent();
    }

    /** One owner has many that wait, and the other one: it is served second, not last. */
    @Test
    void thoseThatWaitAreServedByOwner() throws InterruptedException {
        Shares one = new Shares(1);
        Shares.Held first = one.take("a", 1, Duration.ZERO).orElseThrow();
        List<String> served = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (String owner : List.of("a", "a", "a", "a", "b")) {
            Thread thread = Thread.startVirtualThread(() -> {
                try (Shares.Held _ = one.take(owner, 1, LONG).orElseThrow()) {
                    served.add(owner);
                }
            });
            threads.add(thread);
            Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        }
        first.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(served.indexOf("b")).isZero();
        assertThat(served).hasSize(5);
    }

    @Test
    void patienceEnds() {
        take("a", 16);
        assertThat(shares.take("b", 1, Duration.ofMillis(20))).isEmpty();
    }

    @Test
    void whoeverWaitsAmongTooManyOfItsOwnIsRefusedAtOnce() {
        Shares one = new Shares(1);
        Shares.Held held = one.take("a", 1, Duration.ZERO).orElseThrow();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            threads.add(Thread.startVirtualThread(() -> one.take("a", 1, LONG).ifPresent(Shares.Held::close)));
        }
        threads.forEach(thread -> Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING));
        assertThat(one.take("a", 1, LONG)).isEmpty();
        held.close();
        assertThat(one.take("b", 1, LONG)).isPresent();
    }
}
