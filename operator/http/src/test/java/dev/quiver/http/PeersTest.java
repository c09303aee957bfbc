package dev.quiver.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeersTest {

    private static final int MOST = 2;

    /** Only ends a test that hangs. */
    private static final int PATIENCE_MINUTES = 2;

    private final Peers peers = new Peers(MOST);

    @AfterEach
    void close() {
        peers.close();
    }

    @Test
    void beyondTheBoundTheOneThatHasWaitedLongestIsEnded() throws Exception {
        List<CompletableFuture<Void>> interrupted = new ArrayList<>();
        for (int i = 0; i <= MOST; i++) {
            interrupted.add(waits());
        }
        interrupted.getFirst().get(PATIENCE_MINUTES, TimeUnit.MINUTES);
        assertThat(interrupted.subList(1, MOST + 1)).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Void> further = waits();
        interrupted.get(1).get(PATIENCE_MINUTES, TimeUnit.MINUTES);
        assertThat(List.of(interrupted.get(2), further)).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void oneThatIsHeardIsNotCounted() throws Exception {
        CompletableFuture<Void> first = waits();
        CountDownLatch answered = new CountDownLatch(1);
        for (int i = 0; i < MOST; i++) {
            CountDownLatch heard = new CountDownLatch(1);
            peers.execute(() -> {
                try {
                    peers.heard();
                    heard.countDown();
                    answered.await();
                } catch (InterruptedException | InterruptedIOException e) {
                    Thread.currentThread().interrupt();
                }
            });
            heard.await();
        }
        assertThat(first).isNotDone();
    }

    @Test
    void oneThatWasEndedIsNotHeard() throws Exception {
        CompletableFuture<Void> late = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        Semaphore others = new Semaphore(0);
        peers.execute(() -> {
            begun.countDown();
            others.acquireUninterruptibly();
            try {
                peers.heard();
                late.complete(null);
            } catch (InterruptedIOException e) {
                late.completeExceptionally(e);
            }
        });
        begun.await();
        for (int i = 0; i < MOST; i++) {
            waits();
        }
        others.release();
        assertThatThrownBy(() -> late.get(PATIENCE_MINUTES, TimeUnit.MINUTES))
                .hasCauseInstanceOf(InterruptedIOException.class);
    }

    /** Begins a request that waits for the other side; done when it is interrupted. */
    private CompletableFuture<Void> waits() throws InterruptedException {
        CompletableFuture<Void> interrupted = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        peers.execute(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(null);
            }
        });
        begun.await();
        return interrupted;
    }
}
