package dev.quiver.lifecycle;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * A connection to Redis that says whether it answered. It is made at the first use and again after it broke; opening a
 * store never fails because Redis is away. Nothing is queued or replayed behind the caller's back: a call that got no
 * answer throws {@link StoreUnreachableException}, one that was not done throws {@link StoreRefusedException}.
 * Thread-safe; any number of callers share the connection.
 */
public final class RedisStore implements AutoCloseable {

    /** How long an answer may take. */
    public static final Duration ANSWER = Duration.ofSeconds(5);

    /** How long a blocking call on a connection of its own may block; its time-out is {@link #ANSWER} above it. */
    public static final Duration LONGEST_BLOCK = Duration.ofSeconds(5);

    private static final Duration TRY_AGAIN_FOR = Duration.ofSeconds(10);
    private static final long TRY_AGAIN_NANOS = Duration.ofMillis(20).toNanos();

    private final RedisDialer dialer;
    private final RedisLink link;

    private RedisStore(RedisDialer dialer) {
        this.dialer = dialer;
        this.link = new RedisLink(dialer, ANSWER);
    }

    /**
     * A store that connects when it is first used.
     *
     * @param clientName shown by CLIENT LIST, without spaces
     */
    public static RedisStore open(RedisEndpoint endpoint, String clientName) {
        return new RedisStore(new RedisDialer(endpoint, clientName));
    }

    /**
     * Runs a script once: by its digest, by its text where Redis does not know it. While a cluster slot moves Redis asks
     * to try again; that is done here for up to ten seconds.
     */
    public ScriptReply run(Script script, String[] keys, String... arguments) {
        long until = System.nanoTime() + TRY_AGAIN_FOR.toNanos();
        while (true) {
            try {
                return runOnce(script, keys, arguments);
            } catch (StoreRefusedException e) {
                if (!e.slotMoves()
                        || System.nanoTime() > until
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(TRY_AGAIN_NANOS);
            }
        }
    }

    private ScriptReply runOnce(Script script, String[] keys, String[] arguments) {
        try {
            List<Object> values = ask(redis -> redis.evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments));
            return new ScriptReply(values);
        } catch (ScriptUnknownException e) {
            List<Object> values = ask(redis -> redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments));
            return new ScriptReply(values);
        }
    }

    /** Asks Redis and waits for the answer. For reads; changes are scripts. */
    public <T> T ask(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
        return link.ask(question);
    }

    /** A field of a hash; absent when it or the hash is. */
    public Optional<String> field(String key, String field) {
        // A CompletionStage may complete with null, which an answer must not be.
        return ask(redis -> redis.hget(key, field).thenApply(Optional::ofNullable));
    }

    /** A connection of its own for calls that block up to {@link #LONGEST_BLOCK}. Close it before the store. */
    public RedisLink blocking() {
        return new RedisLink(dialer, LONGEST_BLOCK.plus(ANSWER));
    }

    /** The run id of the process that serves a key; empty where the server does not tell. */
    public Optional<String> runId(String key) {
        return link.runId(key);
    }

    /** Asks for a sign of life. Throws like any call. */
    public void ping() {
        ask(RedisClusterAsyncCommands::ping);
    }

    /** Closes the connection; calls in flight fail as unreachable. */
    @Override
    public void close() {
        link.close();
        dialer.close();
    }
}
