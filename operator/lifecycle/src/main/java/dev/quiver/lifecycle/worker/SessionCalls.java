package dev.quiver.lifecycle.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import dev.quiver.lifecycle.redis.RedisLink;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;

/** The common part of all calls of one session: its keys, its counter, one step in flight a source. */
public final class SessionCalls {

    private final RedisStore store;
    private final SessionKeys keys;
    private final RedisLink waiting;
    private final AtomicLong numbers = new AtomicLong();
    private final ExecutedCalls executed = new ExecutedCalls();
    private final HistoryRoom room = new HistoryRoom();
    private final Map<String, StepCall> inFlight = new ConcurrentHashMap<>();
    private final Map<String, Long> adoptions = new ConcurrentHashMap<>();
    private volatile boolean stepped;

    /** Calls of a session that has just been opened. */
    public SessionCalls(RedisStore store, SessionKeys keys) {
        this.store = store;
        this.keys = keys;
        this.waiting = store.blocking();
    }

    /** Where calls go. */
    public RedisStore store() {
        return store;
    }

    /** The connection that waits for work; the session closes it. */
    public RedisLink waiting() {
        return waiting;
    }

    /** The session's keys. */
    public SessionKeys keys() {
        return keys;
    }

    /** A call number that was never used. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /** How many of its calls Redis has executed, as far as is known. */
    public ExecutedCalls executed() {
        return executed;
    }

    /** How much room the record had at the last answer. */
    public HistoryRoom room() {
        return room;
    }

    /**
     * Notes a step before it is sent.
     *
     * @throws IllegalStateException while another step of its source has no known outcome
     */
    public void begin(StepCall call) {
        stepped = true;
        if (inFlight.putIfAbsent(call.uid(), call) != null) {
            throw new IllegalStateException(
                    "a step of " + call.uid() + " has no known outcome yet: run it again first");
        }
    }

    /** Its outcome is known. */
    public void end(StepCall call) {
        inFlight.remove(call.uid(), call);
    }

    /** Whether a step was prepared: nothing can be adopted after that. */
    public boolean stepped() {
        return stepped;
    }

    /** An answer and the number of the call that it belongs to. */
    public record Numbered(long number, ScriptReply reply) {}

    /** Calls once under one number; a stale number was not and will not be done: then under a fresh one. */
    public Numbered underNumber(long number, LongFunction<ScriptReply> call) {
        long tried = number;
        while (true) {
            ScriptReply reply = call.apply(tried);
            if (reply.code() != ScriptCode.STALE) {
                return new Numbered(tried, reply);
            }
            tried = next();
        }
    }

    /**
     * Takes over what the session's predecessor holds of a source.
     *
     * @param further arguments of the script, between those that all have and the tasks; made anew for each call
     * @return the answer of the script; absent where nothing was taken over
     */
    public Optional<Numbered> takeOver(
            String source,
            Script script,
            String[] scriptKeys,
            Supplier<List<String>> further,
            List<Takeover> takeovers) {
        Numbered answer = adopting(source, number -> {
            List<String> arguments = new ArrayList<>(
                    List.of(keys.session(), executed.argument(), keys.earlier(), Long.toString(number)));
            arguments.addAll(further.get());
            takeovers.forEach(takeover ->
                    arguments.addAll(List.of(takeover.id(), takeover.place().text())));
            return store.run(script, scriptKeys, arguments.toArray(String[]::new));
        });
        if (answer.reply().code() != ScriptCode.OK) {
            return Optional.empty();
        }
        executed.learned(answer.reply().number("executed"));
        return Optional.of(answer);
    }

    /** As above, for the adoption of a source: repeated under the number of its last try. */
    private Numbered adopting(String source, LongFunction<ScriptReply> call) {
        long number = adoptions.computeIfAbsent(source, first -> next());
        return underNumber(number, tried -> {
            adoptions.put(source, tried);
            return call.apply(tried);
        });
    }
}
