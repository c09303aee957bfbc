package dev.quiver.controller.store;

import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;

/**
 * The operator's only access to Redis. Keeps whether Redis can be used. Calls listeners once when that changes or when
 * another server answers. Each control carries the leader's term. Thread-safe; {@link #look} is for one thread.
 */
public final class Store {

    private static final Logger log = LoggerFactory.getLogger(Store.class);
    private static final String SAFE_POLICY = "noeviction";

    private final Lifecycle lifecycle;
    private final StoreAdmin admin;
    private final LongSupplier term;
    private final GrantedPrefixes prefixes;
    private final Clock clock;
    private final HistoryRooms rooms;
    private final RecordBacklogs backlogs;
    private final NamespaceUids namespaces;
    private final List<Runnable> onUp = new CopyOnWriteArrayList<>();
    private final List<Runnable> onAway = new CopyOnWriteArrayList<>();
    private final List<Consumer<Keyspace>> onKeyspaceChange = new CopyOnWriteArrayList<>();
    private volatile Consumer<StaleLeaderException> onStale = e -> {};
    private final Map<Keyspace, StoreState.Away> refusals = new ConcurrentHashMap<>();
    /** When a refused keyspace could be used again. */
    private final Map<Keyspace, Instant> accepted = new ConcurrentHashMap<>();

    private volatile StoreState state;
    private String identity = "";

    /**
     * Begins without an answer from Redis.
     *
     * @param term of the leader, read for each control
     */
    public Store(Lifecycle lifecycle, StoreAdmin admin, LongSupplier term, Clock clock) {
        this(lifecycle, admin, term, clock, new GrantedPrefixes(Map.of(), false));
    }

    /**
     * The same where namespaces were granted prefixes.
     *
     * @param prefixes beside the keyspaces; a keyspace that names another one has nothing done there
     */
    public Store(Lifecycle lifecycle, StoreAdmin admin, LongSupplier term, Clock clock, GrantedPrefixes prefixes) {
        this(lifecycle, admin, term, clock, prefixes, new HistoryRooms(false), NamespaceUids.UNKNOWN);
    }

    /**
     * The same where runs may be recorded.
     *
     * @param rooms for records that nobody has read yet
     * @param namespaces whose runs they are
     */
    public Store(
            Lifecycle lifecycle,
            StoreAdmin admin,
            LongSupplier term,
            Clock clock,
            GrantedPrefixes prefixes,
            HistoryRooms rooms,
            NamespaceUids namespaces) {
        this.rooms = rooms;
        this.backlogs = new RecordBacklogs(rooms.recorded(), keyspace -> lifecycle.backlog(keyspace));
        this.namespaces = namespaces;
        this.prefixes = prefixes;
        this.lifecycle = lifecycle;
        this.admin = admin;
        this.term = term;
        this.clock = clock;
        this.state = new StoreState.Away(clock.instant(), StoreReason.NotAsked, StoreReason.NotAsked.sentence());
    }

    /** Whether Redis can be used, as of the last look. */
    public StoreState state() {
        return state;
    }

    /** Whether a keyspace can be used, as of the last look: Redis may answer and refuse this one alone. */
    public StoreState state(Keyspace keyspace) {
        StoreState whole = state;
        StoreState.Away refused = refusals.get(keyspace);
        if (!(whole instanceof StoreState.Up(Instant since))) {
            return whole;
        }
        if (refused != null) {
            return refused;
        }
        Instant again = accepted.get(keyspace);
        return again != null && again.isAfter(since) ? new StoreState.Up(again) : whole;
    }

    /**
     * Notes that Redis refuses calls to a keyspace until a person helps. That is no outage for the others: a tenant
     * that may write to the keyspace can cause it.
     */
    public void refused(Keyspace keyspace, StoreRefusedException no) {
        StoreState.Away before = refusals.get(keyspace);
        if (before == null || !before.message().equals(no.getMessage())) {
            refusals.put(keyspace, new StoreState.Away(clock.instant(), reason(no), no.getMessage()));
            log.warn("keyspace {} cannot be used: {}", keyspace.prefix(), no.getMessage());
            onKeyspaceChange.forEach(l -> l.accept(keyspace));
        }
    }

    /** Notes a look at a keyspace without a refusal. */
    public void accepted(Keyspace keyspace) {
        if (refusals.containsKey(keyspace)) {
            accepted.put(keyspace, clock.instant());
            refusals.remove(keyspace);
            log.info("keyspace {} can be used", keyspace.prefix());
            onKeyspaceChange.forEach(l -> l.accept(keyspace));
        }
    }

    /** Forgets the states of all other keyspaces: tenants may name new ones for ever. */
    public void forgetBut(Set<Keyspace> asked) {
        refusals.keySet().retainAll(asked);
        accepted.keySet().retainAll(asked);
    }

    /**
     * Takes back a keyspace that claims a later leader; its state is a refusal until a look at it succeeds. Only for a
     * leader that has verified, after a refusal, that it holds the Lease.
     */
    public void retake(StaleLeaderException e) {
        refused(
                e.keyspace(),
                new StoreRefusedException(
                        StoreRefusedException.Kind.OTHER,
                        e.keyspace().meta() + " names term " + e.seen()
                                + ", which no leader has written; this one's is " + e.own()
                                + ", and the keyspace is taken back.",
                        e));
        try {
            health(e.keyspace()).retake(e.seen());
        } catch (StoreException away) {
            log.debug("keyspace {} is not taken back yet", e.keyspace().prefix(), away);
        }
    }

    /** Called when Redis can be used again, and when another server or a restarted one answers. */
    public void onUp(Runnable listener) {
        onUp.add(listener);
    }

    /** Called when Redis can no longer be used. */
    public void onAway(Runnable listener) {
        onAway.add(listener);
    }

    /** Called with a keyspace that Redis begins to refuse, refuses for another reason, or no longer refuses. */
    public void onKeyspaceChange(Consumer<Keyspace> listener) {
        onKeyspaceChange.add(listener);
    }

    /** Called when Redis has seen a later leader than this one. */
    public void onStale(Consumer<StaleLeaderException> listener) {
        onStale = listener;
    }

    /** Looks at Redis as a whole; about once a second. */
    public void look() {
        StoreState before = state;
        StoreState now;
        String seen = identity;
        try {
            StoreAdmin.Deployment deployment = admin.look();
            seen = deployment.identity();
            rooms.memory(deployment.memory());
            now = judge(deployment.evictionPolicy(), before);
        } catch (StoreException e) {
            now = away(before, reason(e), e.getMessage());
        }
        boolean another = now.up() && !seen.equals(identity);
        identity = seen;
        state = now;
        notifyListeners(before, now, another);
    }

    private StoreState judge(String evictionPolicy, StoreState before) {
        if (!SAFE_POLICY.equals(evictionPolicy)) {
            return away(
                    before,
                    StoreReason.EvictionAllowed,
                    "maxmemory-policy is " + evictionPolicy + ": Redis may evict keys, and with them tasks; it must be "
                            + SAFE_POLICY + ".");
        }
        return before.up() ? before : new StoreState.Up(clock.instant());
    }

    private StoreState away(StoreState before, StoreReason reason, String message) {
        Instant since = before instanceof StoreState.Away(var from, var _, var _) ? from : clock.instant();
        return new StoreState.Away(since, reason, message);
    }

    static StoreReason reason(StoreException e) {
        if (!(e instanceof StoreRefusedException refused)) {
            return StoreReason.Unreachable;
        }
        return switch (refused.kind()) {
            case NO_RIGHT -> StoreReason.AccessDenied;
            case OUT_OF_MEMORY -> StoreReason.OutOfMemory;
            case OTHER -> StoreReason.Unsupported;
            case PASSING, REPLICA, SLOT_MOVES -> StoreReason.Unreachable;
        };
    }

    private void notifyListeners(StoreState before, StoreState now, boolean another) {
        if (now instanceof StoreState.Away(var _, var reason, var message)) {
            boolean sameReason = before instanceof StoreState.Away(var _, var was, var _) && was == reason;
            if (!sameReason) {
                log.warn("Redis cannot be used: {}: {}", reason, message);
                onAway.forEach(Runnable::run);
            }
        } else if (!before.up()) {
            log.info("Redis can be used");
            onUp.forEach(Runnable::run);
        } else if (another) {
            log.info("Redis was restarted or another server took over");
            onUp.forEach(Runnable::run);
        }
    }

    /** The operator's side of pools in a keyspace, under the present term. */
    public PoolControl pools(Keyspace keyspace) {
        return lifecycle.pools(keyspace, term.getAsLong());
    }

    /** The identity of a keyspace. */
    public KeyspaceHealth health(Keyspace keyspace) {
        return lifecycle.health(keyspace, term.getAsLong()).recording(rooms.each());
    }

    /** Takes the tasks of dead workers back. */
    public Reaper reaper(Keyspace keyspace) {
        return lifecycle.upkeep(
                keyspace, prefix -> prefixes.of(keyspace.namespace()).equals(Optional.of(prefix)));
    }

    /** The room for records that nobody has read yet. */
    public HistoryRooms rooms() {
        return rooms;
    }

    /** How far history is behind. */
    public RecordBacklogs backlogs() {
        return backlogs;
    }

    /** The uid of a namespace whose runs are recorded, empty where nobody knows it; absent where none are. */
    public Optional<String> recordedIn(String namespace) {
        return rooms.recorded() ? Optional.of(namespaces.of(namespace)) : Optional.empty();
    }

    /**
     * Tells the record that resources are deleted; those whose history asks for that leave nothing there. Nothing is done
     * where no runs are recorded.
     *
     * @param uids of their runs; of a schedule its own
     */
    public void recordDeleted(Keyspace keyspace, Collection<String> uids) {
        if (rooms.recorded()) {
            lifecycle.deletions(keyspace, term.getAsLong()).report(uids);
        }
    }

    /** The administrator's access. */
    public StoreAdmin admin() {
        return admin;
    }

    /** Runs a call to Redis if it can be used, as {@link #ask} does; false when the call could not be made. */
    public boolean tryRun(Runnable act) {
        return ask(
                () -> {
                    act.run();
                    return true;
                },
                away -> false);
    }

    /**
     * Asks Redis if it can be used. Otherwise, or when Redis fails meanwhile, returns the substitute. A leader that was
     * replaced gets an exception.
     *
     * @param otherwise makes the substitute from the state with the reason
     */
    public <T> T ask(Supplier<T> question, Function<StoreState.Away, T> otherwise) {
        if (state instanceof StoreState.Away away) {
            return otherwise.apply(away);
        }
        try {
            return question.get();
        } catch (StaleLeaderException e) {
            onStale.accept(e);
            throw e;
        } catch (StoreUnreachableException | StoreRefusedException e) {
            return otherwise.apply(new StoreState.Away(clock.instant(), reason(e), e.getMessage()));
        }
    }
}
