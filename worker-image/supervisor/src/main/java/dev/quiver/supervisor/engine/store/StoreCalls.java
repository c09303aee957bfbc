package dev.quiver.supervisor.engine.store;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/**
 * Calls to Redis; answers come back through the mailbox. A call that may have to be repeated, or to dial, has a virtual
 * thread of its own.
 *
 * <p>A call without an answer is repeated unchanged until there is one or nobody wants it any more: every call of the
 * contract is idempotent.
 */
public final class StoreCalls implements AutoCloseable {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Set<SentCall<?>> underWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Mailbox mailbox;
    private final StoreTrouble trouble;
    private final EngineStats stats;
    private final Consumer<RuntimeException> onFault;

    public StoreCalls(Mailbox mailbox, StoreTrouble trouble, EngineStats stats, Consumer<RuntimeException> onFault) {
        this.mailbox = mailbox;
        this.trouble = trouble;
        this.stats = stats;
        this.onFault = onFault;
    }

    /**
     * Calls until there is an answer and hands it to the engine's thread.
     *
     * @param wanted asked before each repetition; false gives the call up without an answer
     */
    public <T> void untilAnswered(Supplier<T> call, BooleanSupplier wanted, Consumer<T> answer) {
        try {
            threads.execute(() -> repeat(call, wanted, answer));
        } catch (RejectedExecutionException closed) {
            // The engine is closing: nobody waits for this answer.
        }
    }

    /**
     * The same for a call that can be sent without a thread that waits. One that is not answered in time, or with a
     * problem, is repeated as above. From any thread.
     *
     * @param send sends the call once; absent where that is not possible now
     */
    public <T> void untilAnswered(
            Supplier<Optional<SentCall<T>>> send, Supplier<T> call, BooleanSupplier wanted, Consumer<T> answer) {
        untilAnswered(send, call, wanted, any -> true, answer);
    }

    /**
     * The same.
     *
     * @param urgent whether the engine's thread is woken for an answer, or reads it when it wakes for another reason
     */
    public <T> void untilAnswered(
            Supplier<Optional<SentCall<T>>> send,
            Supplier<T> call,
            BooleanSupplier wanted,
            Predicate<T> urgent,
            Consumer<T> answer) {
        Optional<SentCall<T>> sent = send.get();
        if (sent.isEmpty()) {
            untilAnswered(call, wanted, answer);
            return;
        }
        underWay.add(sent.get());
        sent.get().whenKnown((result, problem) -> {
            Runnable letter = () -> {
                underWay.remove(sent.get());
                if (problem == null) {
                    trouble.answered();
                    answer.accept(result);
                } else if (wanted.getAsBoolean()) {
                    noteSilence(problem);
                    untilAnswered(call, wanted, answer);
                }
            };
            if (problem != null || urgent.test(result)) {
                mailbox.post(letter);
            } else {
                mailbox.postQuietly(letter);
            }
        });
    }

    /** Works out on a thread of its own what takes a while and asks nobody, and hands it to the engine's thread. */
    public <T> void aside(Supplier<T> work, Consumer<T> answer) {
        try {
            threads.execute(() -> {
                try {
                    T result = work.get();
                    mailbox.post(() -> answer.accept(result));
                } catch (RuntimeException fault) {
                    broke(fault);
                } catch (Error fault) { // whoever waits for the answer would wait for ever
                    broke(new IllegalStateException("work beside the engine ended: " + fault, fault));
                }
            });
        } catch (RejectedExecutionException closed) {
            // The engine is closing: nobody waits for this answer.
        }
    }

    /** An unexpected exception on a thread that is not the engine's. */
    public void broke(RuntimeException fault) {
        mailbox.post(() -> onFault.accept(fault));
    }

    /** An answer that refused the call is the repetition's to judge: it may know another way. */
    private void noteSilence(RuntimeException problem) {
        if (problem instanceof StoreUnreachableException silence) {
            trouble.failed(silence);
            stats.add(Counter.RETRIES);
        }
    }

    /**
     * Gives up waiting for answers that are late; returns nanoseconds until the next one will be. Only the engine's
     * thread calls this.
     */
    public long turn(long now) {
        long next = Long.MAX_VALUE;
        for (SentCall<?> call : underWay) { // few: one for each source, one that waits for work
            long left = call.nanosLeft(now);
            if (left <= 0) {
                underWay.remove(call);
                call.abandon();
            } else {
                next = Math.min(next, left);
            }
        }
        return next;
    }

    private <T> void repeat(Supplier<T> call, BooleanSupplier wanted, Consumer<T> answer) {
        Backoff backoff = null;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                T result = call.get();
                trouble.answered();
                mailbox.post(() -> answer.accept(result));
                return;
            } catch (StoreException problem) {
                if (!wanted.getAsBoolean() || Thread.currentThread().isInterrupted()) {
                    return;
                }
                trouble.failed(problem);
                stats.add(Counter.RETRIES);
                backoff = backoff == null ? newBackoff() : backoff;
                LockSupport.parkNanos(backoff.next().toNanos());
            } catch (RuntimeException fault) {
                broke(fault);
                return;
            } catch (Error fault) { // whoever waits for the answer would wait for ever
                broke(new IllegalStateException("a call to Redis ended: " + fault, fault));
                return;
            }
        }
    }

    private static Backoff newBackoff() {
        return new Backoff(SHORTEST_PAUSE, LONGEST_PAUSE, RandomGenerator.getDefault());
    }

    /** Gives up what is under way. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
