package dev.quiver.supervisor.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.SlotTable;
import dev.quiver.supervisor.engine.slots.TaskOwner;

/**
 * One task set's conversation with Redis: the results that wait, whether a step is under way, what the last answer
 * said. Belongs to the engine's thread.
 */
final class Conversation {

    /**
     * The end of a held task, until Redis counted it.
     *
     * @param settlement absent while the output lies in its slot, where it stays until its step
     * @param reader makes the settlement then
     * @param acknowledge whether its slot waits for that
     * @param sinceNanos when it became known
     * @param bytes of the result that Redis keeps
     * @param memory that it takes once it is read
     */
    record Result(
            ClaimedTask held,
            Optional<Settlement> settlement,
            Supplier<Settlement> reader,
            boolean acknowledge,
            long sinceNanos,
            int bytes,
            long memory) {

        Result(ClaimedTask held, Settlement settlement, boolean acknowledge, long sinceNanos) {
            this(
                    held,
                    Optional.of(settlement),
                    () -> settlement,
                    acknowledge,
                    sinceNanos,
                    StepCall.resultBytes(settlement),
                    0);
        }

        /** The result of a pass whose output stays in its slot until its step. */
        static Result unread(ClaimedTask held, Supplier<Settlement> reader, long output, long sinceNanos) {
            int kept = held.claim().task().brings() ? 0 : Math.toIntExact(Math.min(output, TaskResult.MAX_BYTES));
            return new Result(held, Optional.empty(), reader, true, sinceNanos, kept, HeldBytes.OF_OUTPUT * output);
        }

        /** The same, with its output read. */
        Result read() {
            return settlement.isPresent()
                    ? this
                    : new Result(held, Optional.of(reader.get()), reader, acknowledge, sinceNanos, bytes, 0);
        }

        /** Whether the task leaves us with it; otherwise Redis is only told where it is. */
        boolean leaves() {
            return settlement.filter(Settlement.Moved.class::isInstance).isEmpty();
        }

        /** Whether it is a failure, or can turn out to be one. */
        boolean mayFail() {
            return settlement.map(StepCall::hasFailure).orElse(true)
                    || held != null && held.claim().task().brings();
        }
    }

    private final WorkSource source;
    private final TaskOwner owner;
    private final PrefetchDepth timing = new PrefetchDepth();
    private final BatchLength batch;
    private final int mostHeld;
    private final ArrayDeque<Result> results = new ArrayDeque<>();
    private SourceStatus status = SourceStatus.RUNNING;
    private boolean stepping;
    private boolean armed;
    private boolean served = true;
    private Handlers handlers = Handlers.NONE;
    private boolean member = true;
    private long claimable = 1;
    private int failures;
    private int staying;
    private long resultBytes;
    private long memory;
    private int held;
    private boolean invitedMeanwhile;
    private long othersMark = -1;
    private OptionalLong idleSince = OptionalLong.empty();

    Conversation(WorkSource source, Function<Conversation, TaskOwner> owner) {
        this.source = source;
        this.batch = new BatchLength(source.batch());
        this.mostHeld = source.mostHeld().orElse(Integer.MAX_VALUE);
        this.owner = owner.apply(this);
    }

    String uid() {
        return source.id();
    }

    WorkSource source() {
        return source;
    }

    /** The owner of the tasks that are claimed here. */
    TaskOwner owner() {
        return owner;
    }

    PrefetchDepth timing() {
        return timing;
    }

    BatchLength batch() {
        return batch;
    }

    /** Tasks that may wait beside the slots, and in them beside one for each. */
    int depth(SlotTable slots) {
        return Math.min(PrefetchDepth.MOST, timing.tasks(slots.usable()) + slots.beside(batch.wanted()));
    }

    /** Whether a step of this set has no known outcome yet. */
    boolean stepping() {
        return stepping;
    }

    void stepping(boolean underWay) {
        stepping = underWay;
        invitedMeanwhile = !underWay && invitedMeanwhile;
    }

    /** Whether there may be something to claim. */
    boolean claims() {
        return active() && member && claimable > 0 && !full();
    }

    /** Whether this session holds as many of its tasks as it may, those aside that the next step gives back. */
    boolean full() {
        return room(leaving(results.size())) <= 0;
    }

    /** How many of its tasks a step may claim that gives so many back. */
    int room(int leaving) {
        return mostHeld - held + leaving;
    }

    /** Whether a step that settles may ask for work along, although none is known of. */
    boolean claimsAlong() {
        return active() && member;
    }

    /** Whether tasks of it may run here, as far as that is the same for all of them. */
    boolean active() {
        return served && status == SourceStatus.RUNNING;
    }

    /** Whether this task of it may be started here. */
    boolean starts(RunnableTask task) {
        return status == SourceStatus.RUNNING && handlers.serve(task.handler());
    }

    /** Whether the pod serves the handler of its tasks; commands are always served. */
    void served(Handlers now) {
        handlers = now;
        served = now.serve(source.handlers());
    }

    /** The handlers that the pod serves. */
    Handlers handlers() {
        return handlers;
    }

    /** Whether its tasks can run in this pod. */
    boolean served() {
        return served;
    }

    /** Whether this session holds nothing of it and no call of it can bring anything. */
    boolean resting() {
        return held == 0 && !stepping && !armed;
    }

    /** Whether nothing of it is left to do here. */
    boolean idle() {
        return held == 0 && !stepping && !claims();
    }

    /** Whether a claim of it waits for a token. */
    boolean armed() {
        return armed;
    }

    void armed(boolean ready) {
        armed = ready;
    }

    /** For how long nothing of it has been left to do here; 0 while something is. */
    long idleNanos(long now) {
        if (!idle()) {
            idleSince = OptionalLong.empty();
            return 0;
        }
        if (idleSince.isEmpty()) {
            idleSince = OptionalLong.of(now);
        }
        return now - idleSince.getAsLong();
    }

    /** Tasks that this session answers for. */
    int held() {
        return held;
    }

    void joined() {
        held++;
    }

    void left() {
        held--;
    }

    /** The pool's order or a heartbeat named this set: there may be work, and this session may be its worker. */
    void invited() {
        member = true;
        claimable = Math.max(1, claimable);
        invitedMeanwhile = stepping;
        if (status == SourceStatus.SUSPENDED) {
            status = SourceStatus.RUNNING;
        }
    }

    /**
     * Takes an answer's word about the set; returns whether its tasks may no longer run because of it.
     *
     * @param fruitless whether it gave nothing to a step that asked. Then asking at once again would not help, whatever
     *     can be claimed (this session may be one worker too many)
     */
    boolean learned(SourceStatus now, long claimableNow, boolean memberNow, boolean fruitless) {
        claimable = fruitless ? 0 : claimableNow;
        member = memberNow;
        if (invitedMeanwhile) { // the invitation is younger than this answer
            claimable = Math.max(1, claimableNow);
            member = true;
        }
        return learned(now);
    }

    /** As above, without news about its queue. */
    boolean learned(SourceStatus now) {
        boolean stops = status == SourceStatus.RUNNING && now != SourceStatus.RUNNING;
        boolean ends = status != SourceStatus.OVER && now == SourceStatus.OVER;
        status = status == SourceStatus.OVER ? status : now;
        return stops || ends;
    }

    /**
     * Only tasks for other pods wait there; whether some came since that was found last.
     *
     * @param mark grows with each task that comes
     */
    boolean foundOthers(long mark) {
        boolean news = mark != othersMark;
        othersMark = mark;
        return news;
    }

    boolean ended() {
        return status == SourceStatus.OVER;
    }

    void add(Result result) {
        count(result, 1);
        results.addLast(result);
    }

    private void count(Result result, int by) {
        failures += result.mayFail() ? by : 0;
        staying += result.leaves() ? 0 : by;
        resultBytes += (long) by * result.bytes();
        memory += by * result.memory();
    }

    int results() {
        return results.size();
    }

    /**
     * How many of the oldest results one step of {@code most} can settle. Failures are bounded by their own number, and
     * kept results by their bytes. Results that have to be read are bounded by the memory for them.
     *
     * @param held memory that other steps have
     */
    int fitting(int most, HeldBytes held) {
        long room = held.roomForOutputs();
        if (failures <= StepCall.MAX_FAILURES && resultBytes <= StepCall.MAX_RESULT_BYTES && memory <= room) {
            return Math.min(most, results.size());
        }
        int fit = 0;
        int failed = 0;
        long bytes = 0;
        long taken = 0;
        for (Result result : results) {
            failed += result.mayFail() ? 1 : 0;
            bytes += result.bytes();
            taken += result.memory();
            boolean large = fit > 0 && bytes > StepCall.MAX_RESULT_BYTES;
            boolean full = taken > room && (fit > 0 || held.holdsOutputs());
            if (fit == most || failed > StepCall.MAX_FAILURES || large || full) {
                break;
            }
            fit++;
        }
        return fit;
    }

    /** How many of the oldest {@code most} results give a place back when they are settled. */
    int leaving(int most) {
        if (staying == 0) {
            return Math.min(most, results.size());
        }
        int leaving = 0;
        int seen = 0;
        for (Result result : results) {
            if (seen++ == most) {
                break;
            }
            leaving += result.leaves() ? 1 : 0;
        }
        return leaving;
    }

    /** How long the oldest result has waited; 0 without one. */
    long oldestNanos(long now) {
        Result oldest = results.peekFirst();
        return oldest == null ? 0 : now - oldest.sinceNanos();
    }

    /** Removes and returns the oldest results. */
    List<Result> take(int most) {
        List<Result> taken = new ArrayList<>(Math.min(most, results.size()));
        while (taken.size() < most && !results.isEmpty()) {
            Result result = results.removeFirst();
            count(result, -1);
            taken.add(result);
        }
        return taken;
    }
}
