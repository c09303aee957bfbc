package dev.quiver.lifecycle.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A call that was sent and for whose answer no thread waits. Its sender watches the time: a call that is not answered in
 * time is {@linkplain #abandon abandoned}, and its outcome is unknown. Thread-safe.
 *
 * @param <T> what the answer means
 */
public final class SentCall<T> {

    private final CompletableFuture<?> reply;
    private final CompletableFuture<T> meaning;
    private final long answerBy;
    private final Runnable discard;

    private SentCall(CompletableFuture<?> reply, CompletableFuture<T> meaning, long answerBy, Runnable discard) {
        this.reply = reply;
        this.meaning = meaning;
        this.answerBy = answerBy;
        this.discard = discard;
    }

    /**
     * Sent just now.
     *
     * @param answerBy when it is abandoned, by {@link System#nanoTime}
     * @param discard ends the connection, whose other end may have vanished
     */
    public static <T> SentCall<T> of(CompletableFuture<T> reply, long answerBy, Runnable discard) {
        return new SentCall<>(reply, reply, answerBy, discard);
    }

    /** The same call; an answer is read on the connection's thread, and only one that came before the abandoning. */
    public <R> SentCall<R> read(Function<? super T, ? extends R> reader) {
        return new SentCall<>(reply, meaning.thenApply(reader), answerBy, discard);
    }

    /** The same call; a problem is told in the words that this function gives it. */
    SentCall<T> explained(UnaryOperator<RuntimeException> words) {
        return new SentCall<>(
                reply,
                meaning.exceptionallyCompose(thrown -> CompletableFuture.failedFuture(words.apply(problem(thrown)))),
                answerBy,
                discard);
    }

    /** How long its answer may take yet; 0 or less when it should be abandoned. */
    public long nanosLeft(long now) {
        return answerBy - now;
    }

    /** Waits no longer: an answer that comes from now on is dropped, and the connection with it. */
    public void abandon() {
        if (reply.completeExceptionally(new StoreUnreachableException("no answer from Redis in time", null))) {
            discard.run();
        }
    }

    /**
     * Tells what became of it, once, on the thread that learns it: the answer, or a problem. A problem leaves the outcome
     * open: the call is to be repeated, as after any {@link StoreException}.
     */
    public void whenKnown(BiConsumer<? super T, ? super RuntimeException> told) {
        meaning.whenComplete((answer, thrown) -> told.accept(answer, thrown == null ? null : problem(thrown)));
    }

    private static RuntimeException problem(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof RuntimeException known ? known : RedisErrors.of(cause);
    }
}
