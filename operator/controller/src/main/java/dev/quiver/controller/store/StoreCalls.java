package dev.quiver.controller.store;

import java.time.Clock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/**
 * Makes calls to Redis while it can be used: the frame of whoever reads or writes there outside of the leader's clock.
 * Thread-safe.
 *
 * @param watch knows whether Redis can be used
 * @param stale called when Redis has seen a later leader than this one
 */
public record StoreCalls(StoreWatch watch, Clock clock, Consumer<StaleLeaderException> stale) {

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
        if (watch.state() instanceof StoreState.Away away) {
            return otherwise.apply(away);
        }
        try {
            return question.get();
        } catch (StaleLeaderException e) {
            stale.accept(e);
            throw e;
        } catch (StoreUnreachableException | StoreRefusedException e) {
            return otherwise.apply(new StoreState.Away(clock.instant(), StoreWatch.reason(e), e.getMessage()));
        }
    }
}
