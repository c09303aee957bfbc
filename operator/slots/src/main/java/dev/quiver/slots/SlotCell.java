package dev.quiver.slots;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.slots.SlotEvent.Cancelled;
import dev.quiver.slots.SlotEvent.Finished;
import dev.quiver.slots.SlotEvent.Found;
import dev.quiver.slots.SlotEvent.Lost;
import dev.quiver.slots.SlotEvent.Outcomes;
import dev.quiver.slots.SlotEvent.Ready;
import dev.quiver.slots.SlotEvent.Violated;
import dev.quiver.slots.SlotView.Impossible;
import dev.quiver.slots.SlotView.Seen;
import dev.quiver.slots.layout.BatchDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;

/**
 * One slot as the supervisor knows it: the only writer of its S, the judge of its U. Every method holds the cell's
 * lock, so that S stands still while U is read; none of them calls out.
 */
final class SlotCell {
    private enum Phase {
        /** No executor has shown itself yet. */
        UNKNOWN,
        /** Ready was said. */
        FREE,
        /** Dispatched; its end was not yet said. */
        HELD,
        /** Finished was said; not yet acknowledged. */
        REPORTED,
        /** The only word that will still be said of this generation is Ready. */
        LEAVING,
        /** A rule was broken; nothing is said until another executor comes. */
        ASIDE
    }

    private final int slot;
    private final ControlRegion control;
    private final SlotHeader header;
    private Phase phase = Phase.UNKNOWN;
    private ExecRegion exec; // null until an agent has come
    private long seenU;
    private Optional<Duration> timeLimit = Optional.empty(); // of the task that is held
    private boolean resultGone; // the executor that wrote the reported result was replaced

    SlotCell(int slot, ControlRegion control) {
        this.slot = slot;
        this.control = control;
        this.header = new SlotHeader(slot, control);
    }

    /** Whether U has not moved since it was last looked at. Without the lock: a miss is seen by the next sweep. */
    boolean isQuiet(ExecRegion present) {
        return present.word(slot) == seenU;
    }

    synchronized boolean isFree() {
        return phase == Phase.FREE;
    }

    synchronized SlotView view() {
        return exec == null
                ? new Impossible("no agent has come yet")
                : SlotRules.view(control.word(slot), exec.word(slot));
    }

    // ---- what the supervisor does ----

    synchronized Dispatch dispatch(Assignment assignment, byte[] record, byte[] workerId, long now) {
        if (phase != Phase.FREE && !takesNext()) {
            return new Dispatch.NotFree(view());
        }
        byte[] payload = assignment.payload().bytes();
        long recordAt = (payload.length + 7L) & ~7L;
        long needed = recordAt + record.length;
        if (needed > control.geometry().inputBytes()) {
            return new Dispatch.TooLarge(needed, control.geometry().inputBytes());
        }
        long generation = Words.generation(control.word(slot)) + 1;
        header.begin(generation);
        control.putInput(slot, 0, payload);
        control.putInput(slot, recordAt, record);
        header.write(assignment, workerId, now);
        return dispatched(generation, assignment, 1);
    }

    synchronized Dispatch dispatch(Batch.Layout layout, byte[] workerId, long now) {
        if (phase != Phase.FREE && !takesNext()) {
            return new Dispatch.NotFree(view());
        }
        Batch batch = layout.finish(header.hash());
        long generation = Words.generation(control.word(slot)) + 1;
        header.begin(generation);
        control.putInput(slot, 0, batch.table());
        for (Batch.Entry entry : batch.tasks()) {
            control.putInput(slot, entry.payloadAt(), entry.task().payload().bytes());
            control.putInput(slot, entry.recordAt(), entry.record());
        }
        header.write(batch, workerId, now);
        return dispatched(
                generation, batch.tasks().getFirst().task(), batch.tasks().size());
    }

    private Dispatch dispatched(long generation, Assignment first, int tasks) {
        timeLimit = first.timeLimit();
        phase = Phase.HELD;
        resultGone = false;
        store(Words.of(generation, Op.RUN));
        return new Dispatch.Accepted(generation, tasks);
    }

    /** Whether this generation's pass needs no acknowledge: the next dispatch may follow it and says as much. */
    synchronized boolean takesNext(long generation) {
        return generation == Words.generation(control.word(slot)) && takesNext();
    }

    private boolean takesNext() {
        return phase == Phase.REPORTED
                && !resultGone
                && exec.word(slot) == Words.of(Words.generation(control.word(slot)), Stage.COMPLETE)
                && exec.takesNext(slot);
    }

    /** Whether the slot's handler takes several tasks at once. */
    synchronized boolean takesBatches() {
        return exec != null && exec.handlerMinor(slot) >= BatchDescriptor.SINCE_MINOR;
    }

    /** Commit point: whoever sees the word sees what was written before. Then the wake, if the executor sleeps. */
    private void store(long word) {
        control.store(slot, word);
        if (exec != null && exec.parked(slot)) {
            control.wake(slot);
        }
    }

    /** Whether the slot holds this task, which another process dispatched; from now on it may ask for more time. */
    synchronized boolean keep(long generation, Optional<Duration> limit) {
        boolean held = phase == Phase.HELD || phase == Phase.REPORTED;
        if (!held || control.word(slot) != Words.of(generation, Op.RUN)) {
            return false;
        }
        timeLimit = limit;
        return true;
    }

    /** Grants the later deadline that a running task wants, if its limit allows it. */
    synchronized void extendDeadline(long now) {
        if (phase != Phase.HELD || exec == null || timeLimit.isEmpty()) {
            return;
        }
        long s = control.word(slot);
        long wanted = exec.wantedDeadline(slot);
        if (Words.op(s).orElse(Op.NONE) == Op.RUN && exec.word(slot) == Words.of(Words.generation(s), Stage.RUNNING)) {
            header.extendDeadline(wanted, timeLimit.get(), now);
        }
    }

    synchronized boolean cancel(long generation) {
        if (phase != Phase.HELD || generation != Words.generation(control.word(slot))) {
            return false;
        }
        store(Words.of(generation, Op.CANCEL));
        return true;
    }

    synchronized boolean acknowledge(long generation) {
        long s = control.word(slot);
        if (generation != Words.generation(s)) {
            return false;
        }
        if (phase == Phase.REPORTED) {
            if (!resultGone && Words.stage(exec.word(slot)).orElse(Stage.NONE) == Stage.RETRY) {
                store(Words.of(generation, Op.FAIL));
            }
            phase = Phase.LEAVING;
            store(Words.of(generation, Op.ACKNOWLEDGE));
        }
        return Words.op(control.word(slot)).orElse(Op.NONE) == Op.ACKNOWLEDGE;
    }

    /** Whether a reported result's files are still those of the executor that wrote them. */
    synchronized boolean hasResult(long generation) {
        return phase == Phase.REPORTED && !resultGone && generation == Words.generation(control.word(slot));
    }

    /** The tasks that it was given last; none if it never was given one. */
    synchronized List<DispatchedTask> dispatched() {
        return header.read();
    }

    /** The slot's state, for people; of a batch the task that is under way. */
    synchronized Optional<Packet> snapshot(long now) {
        if (exec == null) {
            return Optional.empty();
        }
        Optional<Packet> packet = Snapshot.of(control.copy(slot), exec.copy(slot), now);
        int tasks = header.batchTasks();
        if (tasks == 0 || packet.isEmpty()) {
            return packet;
        }
        boolean reached = Words.generation(exec.word(slot)) == Words.generation(control.word(slot));
        int at = reached ? Math.min(exec.done(slot) & ExecDescriptor.DONE_MASK, tasks - 1) : 0;
        byte[] table = control.input(slot, BatchDescriptor.bytes(tasks));
        return packet.map(first -> Snapshot.at(first, table, at));
    }

    /** How far the executor came that runs this use of the slot; absent while none does. */
    synchronized Optional<Progress> progress(long generation) {
        if (exec == null || phase == Phase.ASIDE) {
            return Optional.empty();
        }
        long u = exec.word(slot);
        return Words.generation(u) == generation && Words.stage(u).orElse(Stage.NONE) == Stage.RUNNING
                ? Optional.of(Snapshot.progress(exec.copy(slot)))
                : Optional.empty();
    }

    // ---- what the executor did ----

    /** Looks at U and says what it means. */
    synchronized void observe(List<SlotEvent> events) {
        if (exec == null || phase == Phase.ASIDE || phase == Phase.UNKNOWN) {
            return;
        }
        long s = control.word(slot);
        long u = exec.word(slot);
        SlotView view = SlotRules.view(s, u);
        if (!SlotRules.mayFollow(seenU, u)) {
            setAside(
                    events,
                    Violation.Kind.WORDS,
                    "U ran backwards: " + Words.text(s, seenU) + ", then " + Words.text(s, u));
        } else if (view instanceof Impossible(String text)) {
            setAside(events, Violation.Kind.WORDS, text);
        } else if (view instanceof Seen(SlotState state)) {
            seenU = u;
            onState(state, s, u, events);
        }
    }

    private void onState(SlotState state, long s, long u, List<SlotEvent> events) {
        switch (state) {
            case COMPLETE, RETRY -> {
                if (phase == Phase.HELD) {
                    report(s, u, events);
                }
            }
            case WAITING -> becomeReady(s, events);
            case PENDING, RUNNING, CANCELLED, FAILED, CLEANING -> {
                // Nobody has to be told.
            }
        }
    }

    private void becomeReady(long s, List<SlotEvent> events) {
        boolean calledOff = Words.op(s).orElse(Op.NONE) == Op.CANCEL;
        if (phase == Phase.HELD && !calledOff) {
            setAside(events, Violation.Kind.WORDS, "the executor dropped its task: " + Words.text(s, seenU));
            return;
        }
        if (phase == Phase.HELD && addOutcomes(events, exec, s)) {
            events.add(new Cancelled(slot, Words.generation(s), exec.started(slot)));
        }
        if (phase == Phase.HELD || phase == Phase.LEAVING) {
            phase = Phase.FREE;
            events.add(new Ready(slot));
        }
    }

    private void report(long s, long u, List<SlotEvent> events) {
        try {
            boolean passed = Words.stage(u).orElse(Stage.NONE) == Stage.COMPLETE;
            OutcomeReader.Outcomes outcomes = outcomes(exec, passed);
            SlotResult result =
                    ResultReader.read(slot, Words.generation(s), passed, control.copy(slot), exec.copy(slot), outcomes);
            phase = Phase.REPORTED;
            tell(outcomes, s, events);
            events.add(new Finished(result));
        } catch (ResultReader.RefusedException e) {
            setAside(events, Violation.Kind.RESULT, e.getMessage());
        }
    }

    /** The outcomes of the executor about the batch that it holds, or has ended; none for a single task. */
    private OutcomeReader.Outcomes outcomes(ExecRegion from, boolean passed) throws ResultReader.RefusedException {
        int tasks = header.batchTasks();
        if (tasks == 0) {
            return OutcomeReader.Outcomes.NONE;
        }
        int done = from.done(slot);
        int count = OutcomeReader.count(done, tasks, passed);
        boolean whole = (done & ExecDescriptor.DONE_WHOLE) != 0;
        long limit = control.geometry().outputBytes();
        return OutcomeReader.read(
                from.outcomes(slot, count), count, whole, control.dispatched(slot), from.startedAt(slot), limit);
    }

    private void tell(OutcomeReader.Outcomes outcomes, long s, List<SlotEvent> events) {
        if (header.batchTasks() > 0) {
            events.add(new Outcomes(slot, Words.generation(s), outcomes.list(), outcomes.whole()));
        }
    }

    /** Tells of the tasks of a batch that ended before the rest was gone; false when the executor lied about them. */
    private boolean addOutcomes(List<SlotEvent> events, ExecRegion from, long s) {
        boolean reached = Words.generation(from.word(slot)) == Words.generation(s);
        try {
            // All of them may have one: the end of the last crossed.
            tell(
                    reached ? outcomes(from, from.allDone(slot, header.batchTasks())) : OutcomeReader.Outcomes.NONE,
                    s,
                    events);
            return true;
        } catch (ResultReader.RefusedException e) {
            setAside(events, Violation.Kind.RESULT, e.getMessage());
            return false;
        }
    }

    private void setAside(List<SlotEvent> events, Violation.Kind kind, String text) {
        phase = Phase.ASIDE;
        events.add(new Violated(new Violation(slot, kind, text)));
    }

    /** An agent came with other executors. Their later deeds are reported when they are observed. */
    synchronized void attach(ExecRegion arrived, List<SlotEvent> events) {
        Optional<ExecRegion> old = Optional.ofNullable(exec);
        exec = arrived;
        long s = control.word(slot);
        long u = arrived.word(slot);
        seenU = u;
        SlotView view = SlotRules.view(s, u);
        if (view instanceof Impossible(String text)) {
            setAside(events, Violation.Kind.WORDS, text);
        } else if (phase == Phase.REPORTED) {
            resultGone = true;
        } else if (phase == Phase.HELD) {
            resolveHeld(s, old, u, events);
        } else if (view instanceof Seen(SlotState state)) {
            reportFound(s, state, events);
        }
    }

    private void resolveHeld(long s, Optional<ExecRegion> old, long u, List<SlotEvent> events) {
        long generation = Words.generation(s);
        Optional<Long> oldU = old.map(region -> region.word(slot));
        switch (SlotRules.afterAgentReturned(s, oldU, u)) {
            case CARRIED_ON -> {
                return;
            }
            case LOST_UNSTARTED -> events.add(new Lost(slot, generation, false));
            case LOST -> {
                if (old.isPresent() && !addOutcomes(events, old.get(), s)) {
                    return;
                }
                events.add(new Lost(slot, generation, true));
            }
            case CANCELLED -> {
                if (old.isPresent() && !addOutcomes(events, old.get(), s)) {
                    return;
                }
                boolean reached = oldU.isPresent() && Words.generation(oldU.get()) == generation;
                events.add(new Cancelled(slot, generation, reached && old.get().started(slot)));
            }
            case NOTHING -> {
                // Its end was said before.
            }
        }
        phase = Phase.FREE;
        events.add(new Ready(slot));
    }

    /**
     * This process holds nothing in the slot; perhaps the supervisor before it did, and did not hear how it ended. So
     * an end is rather told twice than never.
     */
    private void reportFound(long s, SlotState state, List<SlotEvent> events) {
        long generation = Words.generation(s);
        Op op = Words.op(s).orElse(Op.NONE);
        switch (state) {
            case WAITING -> {
                if (phase == Phase.UNKNOWN && op == Op.RUN) {
                    events.add(new Lost(slot, generation, true));
                } else if (phase == Phase.UNKNOWN && op == Op.CANCEL) {
                    events.add(new Cancelled(slot, generation, exec.started(slot)));
                }
                phase = Phase.FREE;
                events.add(new Ready(slot));
            }
            case PENDING, RUNNING, COMPLETE, RETRY -> {
                if (state == SlotState.COMPLETE && !header.isAbout(generation)) {
                    // The process before died while it wrote the next task over this result, which it had taken.
                    phase = Phase.LEAVING;
                    store(Words.of(generation, Op.ACKNOWLEDGE));
                    return;
                }
                phase = Phase.HELD;
                timeLimit = Optional.empty();
                events.add(new Found(slot, generation, state));
            }
            case CANCELLED -> {
                phase = phase == Phase.UNKNOWN ? Phase.HELD : Phase.LEAVING;
                store(Words.of(generation, Op.CANCEL));
            }
            case FAILED -> {
                phase = Phase.LEAVING;
                store(Words.of(generation, Op.ACKNOWLEDGE));
            }
            case CLEANING -> phase = phase == Phase.UNKNOWN && op == Op.CANCEL ? Phase.HELD : Phase.LEAVING;
        }
    }

    /** The agent has been away for too long: what it held is given up, and ended should it still run. */
    synchronized void giveUp(List<SlotEvent> events) {
        if (phase != Phase.HELD || exec == null) {
            return;
        }
        long s = control.word(slot);
        long generation = Words.generation(s);
        boolean reached = Words.generation(exec.word(slot)) == generation;
        phase = Phase.LEAVING;
        store(Words.of(generation, Op.CANCEL));
        if (!addOutcomes(events, exec, s)) {
            return;
        }
        events.add(new Lost(slot, generation, reached && exec.started(slot)));
    }

    /** Acknowledged after its executor was replaced: the slot is free, and no U will move to say so. */
    synchronized boolean needsFreeing() {
        return phase == Phase.LEAVING && resultGone;
    }
}
