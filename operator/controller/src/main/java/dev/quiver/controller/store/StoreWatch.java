package dev.quiver.controller.store;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Whether Redis as a whole can be used, for those who wait for it. Calls listeners once when that changes or when another
 * server answers. Thread-safe; {@link #look} is for one thread.
 */
public final class StoreWatch {

    private static final Logger log = LoggerFactory.getLogger(StoreWatch.class);

    private final StoreAdmin admin;
    private final Clock clock;
    private final LongConsumer memory;
    private final List<Runnable> onUp = new CopyOnWriteArrayList<>();
    private final List<Runnable> onAway = new CopyOnWriteArrayList<>();
    private volatile StoreState state;
    private volatile Optional<StoreAdmin.Deployment> seen = Optional.empty();
    private String identity = "";

    /**
     * Begins without an answer from Redis.
     *
     * @param memory hears of the maxmemory of Redis at each answer; bytes, 0 for none
     */
    public StoreWatch(StoreAdmin admin, Clock clock, LongConsumer memory) {
        this.admin = admin;
        this.clock = clock;
        this.memory = memory;
        this.state = new StoreState.Away(clock.instant(), StoreReason.NotAsked, StoreReason.NotAsked.sentence());
    }

    /** Whether Redis can be used, as of the last look. */
    public StoreState state() {
        return state;
    }

    /** Redis as it last answered; absent before its first answer. */
    public Optional<StoreAdmin.Deployment> seen() {
        return seen;
    }

    /** Called when Redis can be used again, and when another server or a restarted one answers. */
    public void onUp(Runnable listener) {
        onUp.add(listener);
    }

    /** Called when Redis can no longer be used. */
    public void onAway(Runnable listener) {
        onAway.add(listener);
    }

    /** Looks at Redis as a whole; about once a second. */
    public void look() {
        StoreState before = state;
        StoreState now;
        String answered = identity;
        try {
            StoreAdmin.Deployment deployment = admin.look();
            seen = Optional.of(deployment);
            answered = deployment.identity();
            memory.accept(deployment.memory());
            now = judge(deployment, before);
        } catch (StoreException e) {
            now = away(before, reason(e), e.getMessage());
        }
        boolean another = now.up() && !answered.equals(identity);
        identity = answered;
        state = now;
        notifyListeners(before, now, another);
    }

    private StoreState judge(StoreAdmin.Deployment deployment, StoreState before) {
        if (deployment.evicts()) {
            return away(
                    before,
                    StoreReason.EvictionAllowed,
                    "maxmemory-policy is " + deployment.evictionPolicy()
                            + ": Redis may evict keys, and with them tasks; it must be " + StoreAdmin.SAFE_POLICY
                            + ".");
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
}
