package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.supervisor.engine.slots.SlotTable;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.EngineStats;
import dev.quiver.supervisor.engine.store.StoreCalls;
import dev.quiver.supervisor.execution.ExecutorEvent;
import dev.quiver.supervisor.execution.TaskExecutor;
import dev.quiver.supervisor.execution.TaskMark;

/**
 * The first work of a supervisor that was started again. It asks which tasks its slots still hold, takes over those
 * that Redis says were this pod's, and stops the others. Until it is done nothing is claimed. Belongs to the engine's
 * thread.
 */
public final class Adoption {

    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

    /** The session that takes tasks over. */
    public interface Heir {

        WorkerSession session();

        /** Whether its calls still matter; from any thread. */
        boolean wanted();

        /**
         * Tasks that the supervisor before had started are this session's now.
         *
         * @param claims in the order of their dispatch; null for one that is nobody's any more
         */
        void adopted(List<Adopted> claims, OrphanedTasks.OrphanedTask orphan, long now);

        /** A task that the supervisor before had started is this session's now, and its slot is gone meanwhile. */
        void lost(Adopted adopted, String message, long now);
    }

    private enum State {
        WAITING,
        CALLING,
        DONE
    }

    /** A task that Redis has given to this session, and its source. */
    public record Adopted(WorkSource source, Claim claim) {}

    private record Answer(List<Claim> claims, Map<String, WorkSource> sources) {}

    private final OrphanedTasks orphans = new OrphanedTasks();
    private final TaskExecutor executor;
    private final SlotTable slots;
    private final EngineStats stats;
    private State state;
    private long giveUpAt;

    public Adoption(TaskExecutor executor, SlotTable slots, EngineStats stats) {
        this.executor = executor;
        this.slots = slots;
        this.stats = stats;
        this.state = executor.resumed() ? State.WAITING : State.DONE;
    }

    /** For how long Redis should leave to us what the pod's earlier session held. */
    public Duration left() {
        return done() ? Duration.ZERO : OrphanedTasks.LEFT;
    }

    public boolean done() {
        return state == State.DONE;
    }

    /** A session is open: what is found within the patience can be taken over. */
    public void opened(long now) {
        giveUpAt = now + OrphanedTasks.PATIENCE.toNanos();
    }

    /** The session is over before it could take anything over. */
    public void abandoned() {
        if (!done()) {
            state = State.DONE;
            orphans.takeAll().forEach(this::stop);
        }
    }

    /** Asks Redis when everything was found; returns nanoseconds until it will at the latest. */
    public long turn(Heir heir, StoreCalls calls, long now) {
        if (state != State.WAITING) {
            return Long.MAX_VALUE;
        }
        if (!orphans.complete() && giveUpAt - now > 0) {
            return giveUpAt - now;
        }
        state = State.CALLING;
        List<Takeovers.Use> uses = new ArrayList<>();
        for (int slot = 0; slot < executor.slots(); slot++) {
            int in = slot;
            executor.lastUse(slot)
                    .ifPresent(last -> uses.add(new Takeovers.Use(in, last, orphans.runs(in, last.token()))));
        }
        Takeovers takeovers = new Takeovers(uses);
        calls.untilAnswered(() -> ask(heir, takeovers), heir::wanted, answer -> answered(heir, answer));
        return Long.MAX_VALUE;
    }

    private static Answer ask(Heir heir, Takeovers takeovers) {
        List<Orphan> orphans = heir.session().orphans();
        List<Claim> claims = heir.session().adopt(takeovers.decide(orphans));
        Map<String, WorkSource> sources = new HashMap<>();
        claims.stream()
                .map(Claim::uid)
                .distinct()
                .forEach(uid -> heir.session().source(uid).ifPresent(source -> sources.put(uid, source)));
        return new Answer(claims, sources);
    }

    private void answered(Heir heir, Answer answer) {
        if (done()) {
            return;
        }
        state = State.DONE;
        long now = System.nanoTime();
        int adopted = 0;
        Map<Place, List<Adopted>> bySlot = new LinkedHashMap<>();
        for (Claim claim : answer.claims()) {
            WorkSource source = answer.sources().get(claim.uid());
            if (source != null) { // else it was dropped since, and with it the record that we hold its tasks
                bySlot.computeIfAbsent(claim.place(), place -> new ArrayList<>())
                        .add(new Adopted(source, claim));
            }
        }
        for (Map.Entry<Place, List<Adopted>> slot : bySlot.entrySet()) {
            List<Adopted> claims = slot.getValue();
            Optional<OrphanedTasks.OrphanedTask> orphan = orphans.take(slot.getKey());
            if (orphan.isPresent()) {
                adopted += claims.size();
                takeOver(heir, orphan.get(), claims, now);
            } else {
                claims.forEach(
                        claim -> heir.lost(claim, "its slot broke the rules while the supervisor started again", now));
            }
        }
        List<OrphanedTasks.OrphanedTask> others = orphans.takeAll();
        others.forEach(this::stop);
        stats.add(Counter.ADOPTED, adopted);
        if (adopted + others.size() > 0) {
            LOG.info("{} tasks of the supervisor before run on, {} are stopped", adopted, others.size());
        }
    }

    private void takeOver(Heir heir, OrphanedTasks.OrphanedTask orphan, List<Adopted> claims, long now) {
        Map<TaskMark, Adopted> byMark = new HashMap<>();
        for (Adopted each : claims) {
            byMark.put(TaskMark.of(each.claim().task().id(), each.claim().trial()), each);
        }
        List<TaskMark> marks = executor.lastUse(orphan.slot()).orElseThrow().marks();
        Optional<Duration> limit = claims.getFirst().claim().task().timeLimit();
        executor.adopt(orphan.slot(), orphan.token(), limit);
        heir.adopted(marks.stream().map(byMark::get).toList(), orphan, now);
    }

    private void stop(OrphanedTasks.OrphanedTask orphan) {
        slots.forget(orphan.slot());
        if (orphan.end().orElse(null) instanceof ExecutorEvent.Ended) {
            executor.acknowledge(orphan.slot(), orphan.token());
        } else if (orphan.end().isEmpty()) {
            executor.cancel(orphan.slot(), orphan.token());
        }
    }

    public void here(int found) {
        orphans.expect(found);
    }

    /** A slot is in use by a task of the process before. */
    public void found(int slot, long token) {
        slots.found(slot);
        orphans.add(slot, token);
        if (done()) {
            orphans.takeAll().forEach(this::stop);
        }
    }

    /** The slot is not to be used any more. */
    public void broke(int slot) {
        orphans.forget(slot);
    }

    /** Keeps an end for the time after the answer; false when the task is no orphan. */
    public boolean keeps(int slot, long token, ExecutorEvent end) {
        return orphans.ended(slot, token, end);
    }

    /** A result that nobody waits for: its slot is cleaned. */
    public void unclaimed(ExecutorEvent.Ended ended) {
        executor.acknowledge(ended.slot(), ended.token());
    }
}
