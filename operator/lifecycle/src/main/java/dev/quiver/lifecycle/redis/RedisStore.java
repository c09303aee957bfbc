package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * A connection to Redis that says whether it answered. It is made at the first use and again after it broke; opening a
 * store never fails because Redis is away. Calls are not queued or replayed behind the caller's back: a call that got no
 * answer throws {@link StoreUnreachableException}, one that was not done throws {@link StoreRefusedException}.
 * Thread-safe; any number of callers share the connection.
 */
public final class RedisStore implements AutoCloseable {

    /** How long a blocking call on a connection of its own may block; its time-out is that of any answer above it. */
    public static final Duration LONGEST_BLOCK = Duration.ofSeconds(5);

    private static final Duration TRY_AGAIN_FOR = Duration.ofSeconds(10);
    private static final long TRY_AGAIN_NANOS = Duration.ofMillis(20).toNanos();

    private final RedisTimes times;
    private final RedisDialer dialer;
    private final RedisLink link;
    private volatile Optional<ScriptLibrary> library;
    private final ScriptCalls scripts;
    private volatile LongConsumer calls = _ -> {};

    RedisStore(RedisEndpoint endpoint, String clientName, Optional<ScriptLibrary> library, RedisTimes times) {
        this.times = times;
        this.dialer = new RedisDialer(endpoint, clientName, times);
        this.link = new RedisLink(dialer, times.answer());
        this.library = library;
        this.scripts = new ScriptCalls(link, times.answer(), library);
    }

    /**
     * A store that connects when it is first used, and calls scripts by their text.
     *
     * @param clientName shown by CLIENT LIST, without spaces
     */
    public static RedisStore open(RedisEndpoint endpoint, String clientName) {
        return new RedisStore(endpoint, clientName, Optional.empty(), RedisTimes.DEFAULT);
    }

    /**
     * The same, which calls scripts as functions where Redis has them.
     *
     * @param library has every script that is called
     */
    public static RedisStore open(RedisEndpoint endpoint, String clientName, ScriptLibrary library) {
        return new RedisStore(endpoint, clientName, Optional.of(library), RedisTimes.DEFAULT);
    }

    /** The library of functions that it calls; absent where it calls scripts by their text alone. */
    public Optional<ScriptLibrary> library() {
        return library;
    }

    /**
     * Runs a script once: as a function where Redis has it, else by its digest or its text, as far as this user may. While
     * a cluster slot moves Redis asks to try again; that is done here for up to ten seconds. A script that finds a key too
     * large to read is a refusal in words.
     */
    public ScriptReply run(Script script, String[] keys, String... arguments) {
        long until = System.nanoTime() + TRY_AGAIN_FOR.toNanos();
        while (true) {
            try {
                return readable(timed(() -> scripts.run(script, keys, arguments)));
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

    /**
     * Runs a script as {@link #run} does, for a reply that no text can hold: its texts come as arrays of bytes. A moving
     * slot is a refusal at once.
     *
     * @return a reply whose texts are arrays of bytes
     */
    public ScriptReply runForBytes(Script script, String[] keys, String... arguments) {
        return timed(() -> scripts.runForBytes(script, keys, arguments));
    }

    /**
     * Sends a script once without waiting for its answer; absent where there is no connection yet. After
     * anything but a reply the caller calls {@link #run}, which knows the other ways and the remedy for each refusal.
     */
    public Optional<SentCall<ScriptReply>> send(Script script, String[] keys, String... arguments) {
        return scripts.send(script, keys, arguments).map(call -> call.read(RedisStore::readable));
    }

    private static ScriptReply readable(ScriptReply reply) {
        if (reply.code() == ScriptCode.TOO_LARGE) {
            throw new StoreRefusedException(StoreRefusedException.Kind.OTHER, reply.text("words"), null);
        }
        return reply;
    }

    /** The same over a {@linkplain #blocking connection of its own}. */
    public Optional<SentCall<ScriptReply>> send(RedisLink over, Script script, String[] keys, String... arguments) {
        return scripts.send(over, script, keys, arguments);
    }

    /** Calls the functions of another library from now on: of the release that this Redis is looked after by. */
    public void follow(ScriptLibrary other) {
        library = Optional.of(other);
        scripts.follow(other);
    }

    /** Told of each call whose function the server did not have; for who may load it. One listener. */
    public void onFunctionMissing(Runnable listener) {
        scripts.onMissing(listener);
    }

    /** Calls functions first from now on: they were loaded. */
    public void preferFunctions() {
        scripts.preferFunctions();
    }

    /** Asks Redis and waits for the answer. For reads; changes are scripts. */
    public <T> T ask(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> question) {
        return timed(() -> link.ask(question));
    }

    /**
     * Lets somebody measure each call that waits for its answer, in nanoseconds, answered or not. One listener, which is
     * called on the caller's thread.
     */
    public void onCall(LongConsumer listener) {
        calls = listener;
    }

    private <T> T timed(Supplier<T> call) {
        long begun = System.nanoTime();
        try {
            return call.get();
        } finally {
            calls.accept(System.nanoTime() - begun);
        }
    }

    /** A connection of its own for calls that block up to {@link #LONGEST_BLOCK}. Close it before the store. */
    public RedisLink blocking() {
        return new RedisLink(dialer, LONGEST_BLOCK.plus(times.answer()));
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
