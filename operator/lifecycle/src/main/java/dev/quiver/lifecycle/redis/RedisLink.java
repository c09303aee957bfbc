package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * One connection, dialled when it is needed. It is thrown away after a time-out, since nothing else ends a connection
 * whose other end vanished. It is also thrown away after the server became a replica, since only a new look finds the
 * master. Thread-safe.
 */
public final class RedisLink implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final RedisDialer dialer;
    private final Duration answer;
    private final ReentrantLock dialling = new ReentrantLock();
    private volatile DialledConnection current;
    private volatile boolean closed;
    private long notBefore = System.nanoTime();
    private RuntimeException lastFailure;

    RedisLink(RedisDialer dialer, Duration answer) {
        this.dialer = dialer;
        this.answer = answer;
    }

    /** Asks and waits for the answer, interruptibly: then the outcome is unknown and the thread's flag is set. */
    public <T> T ask(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
        DialledConnection connection = connection();
        try {
            return question.apply(connection.commands())
                    .toCompletableFuture()
                    .get(answer.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnreachableException("interrupted while waiting for Redis", e);
        } catch (TimeoutException e) {
            discard(connection);
            throw new StoreUnreachableException("no answer from Redis in " + answer.toSeconds() + " s", e);
        } catch (ExecutionException | CancellationException | io.lettuce.core.RedisException e) {
            throw meaning(connection, e);
        }
    }

    private RuntimeException meaning(DialledConnection connection, Throwable thrown) {
        RuntimeException meaning = RedisErrors.of(thrown);
        if (connection instanceof DialledConnection.Single
                && (meaning instanceof StoreUnreachableException || isReplica(meaning))) {
            discard(connection);
        }
        return meaning;
    }

    /**
     * Asks without waiting, on a connection that stands; absent without one, since dialling takes time. Fails with what
     * {@link #ask} throws.
     */
    public <T> Optional<SentCall<T>> send(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
        return send(question, answer);
    }

    /** The same for a question that is answered sooner than those that the connection is for. */
    <T> Optional<SentCall<T>> send(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question, Duration patience) {
        DialledConnection connection = current;
        if (connection == null || !connection.usable()) {
            return Optional.empty();
        }
        long answerBy = System.nanoTime() + patience.toNanos();
        CompletableFuture<T> reply = new CompletableFuture<>();
        try {
            question.apply(connection.commands()).whenComplete((result, thrown) -> {
                if (thrown == null) {
                    reply.complete(result);
                } else {
                    reply.completeExceptionally(meaning(connection, thrown));
                }
            });
        } catch (io.lettuce.core.RedisException notSent) {
            reply.completeExceptionally(meaning(connection, notSent));
        }
        return Optional.of(SentCall.of(reply, answerBy, () -> discard(connection)));
    }

    Optional<String> runId(String key) {
        try {
            String info = ask(commands -> connection().onServerOf(key).info("server"));
            return info.lines()
                    .filter(line -> line.startsWith("run_id:"))
                    .map(line -> line.substring("run_id:".length()).strip())
                    .findFirst();
        } catch (StoreRefusedException e) {
            return Optional.empty();
        }
    }

    private static boolean isReplica(RuntimeException meaning) {
        return meaning instanceof StoreRefusedException refused && refused.kind() == StoreRefusedException.Kind.REPLICA;
    }

    private DialledConnection connection() {
        DialledConnection known = current;
        if (known != null && known.usable()) {
            return known;
        }
        try {
            dialling.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnreachableException("interrupted while connecting to Redis", e);
        }
        try {
            return dial();
        } finally {
            dialling.unlock();
        }
    }

    private DialledConnection dial() {
        if (closed) {
            throw new StoreUnreachableException("the connection was closed", null);
        }
        if (current != null) {
            if (current.usable()) {
                return current;
            }
            discard(current);
        }
        if (System.nanoTime() - notBefore < 0 && lastFailure != null) {
            throw lastFailure;
        }
        try {
            current = dialer.dial();
            if (closed) {
                discard(current);
                throw new StoreUnreachableException("the connection was closed", null);
            }
            lastFailure = null;
            return current;
        } catch (io.lettuce.core.RedisException e) {
            lastFailure = RedisErrors.of(e);
            notBefore = System.nanoTime() + PAUSE.toNanos();
            throw lastFailure;
        }
    }

    private void discard(DialledConnection connection) {
        if (current == connection) {
            current = null;
        }
        connection.closeAsync();
    }

    /** Ends the connection; a call that blocks on it fails as unreachable. */
    @Override
    public void close() {
        closed = true;
        DialledConnection known = current;
        current = null;
        if (known != null) {
            known.close();
        }
    }
}
