package dev.quiver.controller.run;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The memory of a reconciler between two reconciles of its runs. It has the specs that Redis has, the recent pace of
 * each run, and the runs that are followed in Redis. Followed runs share the budget of writes. It may be lost at any
 * time. Thread-safe.
 *
 * @param <S> the runs' status
 * @param <R> the runs
 */
public final class RunMemory<S, R extends CustomResource<?, S>> {

    private final Followed<DirtyMark> followed;
    private final StatusReporter<S, R> reporter;
    /** The spec of each run that Redis has, by uid. */
    private final Map<String, Spec> written = new ConcurrentHashMap<>();
    /** By uid; an operator that starts measures for some seconds first. */
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();

    private final AtomicLong returns = new AtomicLong();

    /**
     * A spec at one time: Redis may have lost what was written before its latest return.
     *
     * @param generation of the resource
     * @param returns how often Redis had come back
     */
    public record Spec(Long generation, long returns) {}

    RunMemory(Followed<DirtyMark> followed, StatusReporter<S, R> reporter) {
        this.followed = followed;
        this.reporter = reporter;
    }

    /**
     * An empty memory, which learns of each return of Redis.
     *
     * @param store whether Redis can be used
     * @param followed runs of which Redis reports changes
     * @param reporter of their statuses
     */
    public static <S, R extends CustomResource<?, S>> RunMemory<S, R> of(
            StoreWatch store, Followed<DirtyMark> followed, StatusReporter<S, R> reporter) {
        RunMemory<S, R> memory = new RunMemory<>(followed, reporter);
        store.onUp(memory::storeReturned);
        return memory;
    }

    /** Redis came back, perhaps without earlier writes. */
    void storeReturned() {
        returns.incrementAndGet();
    }

    /** The spec of a run now; ask for it before Redis is asked about the run. */
    public Spec spec(R run) {
        return new Spec(run.getMetadata().getGeneration(), returns.get());
    }

    /** Notes that Redis has that spec. */
    public void written(R run, Spec spec) {
        written.put(uid(run), spec);
    }

    /** Whether Redis has that spec, as far as this leader knows. */
    public boolean hasWritten(R run, Spec spec) {
        return spec.equals(written.get(uid(run)));
    }

    /** The pace of a run after these counts; without counts, the pace so far. */
    public Pace pace(R run, Optional<RunProgress> counts) {
        return counts.map(seen -> paces.compute(
                        uid(run),
                        (_, pace) ->
                                Optional.ofNullable(pace).orElse(Pace.UNSEEN).seen(seen)))
                .orElseGet(() -> paces.getOrDefault(uid(run), Pace.UNSEEN));
    }

    /** Follows a run that goes on; call it before the first look at the run in Redis. Idempotent. */
    public void follow(R run, Keyspace keyspace) {
        followed.follow(run, keyspace);
        reporter.setActive(run, true);
    }

    /**
     * Notes under which id a run that is followed was seen going in Redis; absent when it was not. Redis is asked each minute
     * whether those that were seen going have ended.
     */
    public void seen(R run, Optional<String> id) {
        followed.seen(uid(run), id);
    }

    /** The time until the next reconcile of a run, among all that are followed. */
    public Duration until(Duration soonest) {
        return RunPace.among(
                followed.size(), soonest, ThreadLocalRandom.current().nextDouble());
    }

    /** The keyspace in which a run is followed. */
    public Optional<Keyspace> keyspace(R run) {
        return followed.keyspace(uid(run));
    }

    /** Notes that a run is over: nothing of it changes any more. */
    public void rest(R run) {
        followed.unfollow(uid(run));
        reporter.setActive(run, false);
        paces.remove(uid(run));
    }

    /** Forgets a run that is gone, or that another installation serves. */
    public void forget(R run) {
        followed.unfollow(uid(run));
        reporter.forget(run);
        written.remove(uid(run));
        paces.remove(uid(run));
    }

    private static String uid(HasMetadata run) {
        return run.getMetadata().getUid();
    }
}
