package dev.quiver.lifecycle.wires;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.HeldTasks;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.Takeover;

/**
 * The common part of the sources of any wire on the workers' side: their names, the renewal of locks, orphans, adoption
 * and the reaper. The tasks that a session holds are noted in the own keyspace. Thread-safe.
 *
 * @param store with the keyspace and the wire
 * @param keyspace of the pools
 * @param wire what differs
 */
public record WireFrame(RedisStore store, Keyspace keyspace, Wire wire) {

    /** How long a lock lasts that is not renewed; any watchdog of the wire takes the work back then. */
    public static final Duration LOCK = Duration.ofSeconds(15);

    /** Until the next tick of a source. */
    public static final Duration PAUSE = Duration.ofMillis(500);

    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,8}");

    /** Tasks that one call of the reaper gives back at most. */
    private static final int TASKS = 64;

    /**
     * A wire's names and scripts. The scripts of all wires take the same arguments.
     *
     * @param word what the names of its sources begin with
     * @param adopt takes over what an earlier session held
     * @param attend renews the locks of what a session holds
     * @param reap gives back what a dead session held
     * @param keys a key by the name that a script gives it
     * @param salt further arguments of each of these scripts, behind the prefix; made anew for each call
     */
    public record Wire(
            String word,
            Script adopt,
            Script attend,
            Script reap,
            BiFunction<SessionKeys, String, String> keys,
            Supplier<List<String>> salt) {}

    /** Whether the text can be the name of a WorkerPool. */
    public static boolean isPool(String name) {
        return POOL.matcher(name).matches();
    }

    /** Whether a source of this name is one of the wire's. */
    public boolean owns(String source) {
        return source.startsWith(wire.word()) && isPool(pool(source));
    }

    /** The hash of a source. */
    public String hash(String source) {
        return wire.keys().apply(SessionKeys.ofPool(keyspace, pool(source)), "source");
    }

    private String pool(String source) {
        return source.substring(wire.word().length());
    }

    /**
     * Renews the locks of all that a session holds, running or not.
     *
     * @param lock until they lapse
     * @param running ids of the running tasks, with what the wire's script wants of each
     * @return ids of those that are to be stopped
     */
    public Set<String> attend(SessionKeys session, Duration lock, String prefix, List<String> running) {
        List<String> arguments = new ArrayList<>(List.of(
                session.session(), Long.toString(lock.toMillis()), Long.toString(lock.toMillis() * 11 / 15), prefix));
        arguments.addAll(wire.salt().get());
        arguments.addAll(running);
        return Set.copyOf(run(wire.attend(), session, arguments).texts("stopped"));
    }

    /**
     * The tasks that the session's predecessor holds.
     *
     * @param trial the number of the present trial of a task, by its id
     */
    public List<Orphan> orphans(SessionCalls session, String source, ToIntFunction<String> trial) {
        String held = wire.keys().apply(session.keys(), "earlier_held");
        List<Orphan> found = new ArrayList<>();
        HeldTasks.read(store, held)
                .forEach((id, place) -> found.add(new Orphan(source, id, trial.applyAsInt(id), place)));
        return found;
    }

    /** A whole number of at most eight digits in a hash of the wire; absent for anything else. */
    public Optional<Integer> number(String hash, String field) {
        return new BoundedReads(store)
                .fields(hash, BoundedReads.NAME_BYTES, field)
                .getFirst()
                .filter(text -> NUMBER.matcher(text).matches())
                .map(Integer::valueOf);
    }

    /**
     * Takes over what the session's predecessor holds.
     *
     * @return the answer of the wire's script; absent where nothing was taken over
     */
    public Optional<SessionCalls.Numbered> adopt(
            SessionCalls session, String source, String prefix, List<Takeover> takeovers) {
        return session.takeOver(
                source,
                wire.adopt(),
                keys(wire.adopt(), session.keys()),
                () -> {
                    List<String> further = new ArrayList<>(List.of(pool(source), prefix));
                    further.addAll(wire.salt().get());
                    return further;
                },
                takeovers);
    }

    /**
     * Gives back what a dead session held, as far as the budget goes.
     *
     * @param prefix absent without a grant: the locks lapse by themselves then, and only the session's own records go
     */
    public Reaper.Reaped reap(SessionKeys dead, String source, Optional<String> prefix, CallBudget budget) {
        SessionKeys session = new SessionKeys(keyspace, pool(source), dead.session());
        return HeldTasks.takeBack(
                budget,
                () -> {
                    List<String> arguments = new ArrayList<>(List.of(
                            dead.session(), Integer.toString(TASKS), prefix.orElseGet(() -> hash(source) + ":none:")));
                    arguments.addAll(wire.salt().get());
                    arguments.add(pool(source));
                    return run(wire.reap(), session, arguments);
                },
                reply -> new Reaper.Reaped(0, reply.count("requeued"), 0));
    }

    private ScriptReply run(Script script, SessionKeys session, List<String> arguments) {
        return store.run(script, keys(script, session), arguments.toArray(String[]::new));
    }

    private String[] keys(Script script, SessionKeys session) {
        return script.keys(name -> wire.keys().apply(session, name), List.of());
    }
}
