package dev.quiver.slots;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.slots.DoorbellWait.Bell;

/**
 * Watches all slots on behalf of one thread: looks at every U, tells the listener, sleeps on the doorbell. The
 * agent's link reports through its queue, so that events have one order.
 */
final class BoardWatch implements AgentLink.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(BoardWatch.class);
    private static final Duration SWEEP = Duration.ofMillis(200);

    /** Between sweeps while no executor has anything to say. */
    private static final Duration REST = Duration.ofSeconds(1);

    /** An agent that is away for longer will not bring its tasks back. */
    private static final long ABSENCE_NANOS = Duration.ofSeconds(5).toNanos();

    /** So many wakes in a row with nothing behind them, rung or not, and there is a look only every millisecond. */
    private static final int EMPTY_WAKES = 64;

    private static final Duration QUIET = Duration.ofMillis(1);

    private sealed interface LinkEvent {
        record Arrived(ExecRegion exec) implements LinkEvent {}

        record Draining() implements LinkEvent {}

        record Left() implements LinkEvent {}

        record Violated(Violation violation) implements LinkEvent {}
    }

    private final ControlRegion control;
    private final List<SlotCell> cells;
    private final Consumer<SlotEvent> listener;
    private final DoorbellWait wait;
    private final Queue<LinkEvent> linkEvents = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> toRecheck = new ConcurrentLinkedQueue<>();
    private final List<SlotEvent> events = new ArrayList<>();
    private volatile ExecRegion exec; // null until an agent has come
    private final HandlerWatch handlers = new HandlerWatch();
    private volatile boolean handlersToRead;
    private volatile boolean connected;
    private volatile boolean draining;
    private volatile boolean closed;
    private volatile boolean resting;
    private long leftAt;
    private boolean givenUp = true;
    private long sweepAt = System.nanoTime();
    private int emptyWakes;
    private ExecRegion looked; // at the last look; null: none
    private Optional<Bell> bell = Optional.empty(); // as it was before the last look

    BoardWatch(ControlRegion control, List<SlotCell> cells, Consumer<SlotEvent> listener, DoorbellWait wait) {
        this.control = control;
        this.cells = cells;
        this.listener = listener;
        this.wait = wait;
    }

    boolean agentPresent() {
        return connected && !draining;
    }

    boolean agentConnected() {
        return connected;
    }

    /** The slot's S has changed in a way that may free it without its U moving. */
    void lookAgain(int slot) {
        if (cells.get(slot).needsFreeing()) {
            toRecheck.add(slot);
            wake();
        }
    }

    @Override
    public void arrived(ExecRegion region) {
        post(new LinkEvent.Arrived(region));
    }

    @Override
    public void draining() {
        draining = true;
        post(new LinkEvent.Draining());
    }

    @Override
    public void handlersChanged() {
        handlersToRead = true; // however often it is said, the list is read once
        wake();
    }

    @Override
    public void left() {
        connected = false;
        draining = false;
        post(new LinkEvent.Left());
    }

    @Override
    public void violated(Violation violation) {
        post(new LinkEvent.Violated(violation));
    }

    private void post(LinkEvent event) {
        linkEvents.add(event);
        wake();
    }

    /** Ends the sleep; from any thread. */
    void wake() {
        wait.call();
    }

    /** Tells the listener what happened; whether anything did. Only its one thread polls and sleeps. */
    boolean poll() {
        looked = exec;
        bell = Optional.ofNullable(looked).map(ExecRegion::doorbell);
        sweep(looked);
        return look(looked);
    }

    /** Takes what the link said, looks at all words, tells the listener; whether there was anything. */
    private boolean look(ExecRegion present) {
        for (LinkEvent event = linkEvents.poll(); event != null; event = linkEvents.poll()) {
            handle(event);
        }
        for (Integer slot = toRecheck.poll(); slot != null; slot = toRecheck.poll()) {
            cells.get(slot).observe(events);
        }
        if (present != null && present == exec) {
            for (SlotCell cell : cells) {
                if (!cell.isQuiet(present)) {
                    cell.observe(events);
                }
            }
        }
        if (handlersToRead && exec != null) {
            handlersToRead = false;
            handlers.look(exec, events);
        }
        giveUpAfterAbsence();
        boolean something = !events.isEmpty();
        emptyWakes = something ? 0 : emptyWakes;
        events.forEach(this::deliver);
        events.clear();
        return something;
    }

    /** Looks for changes that come without a ring. */
    private void sweep(ExecRegion present) {
        long now = System.nanoTime();
        control.heartbeat(now);
        if (present != null && now - sweepAt >= 0) {
            sweepAt = now + SWEEP.toNanos();
            handlersToRead = true; // the frame that says so may have been lost
            cells.forEach(cell -> cell.extendDeadline(now));
        }
    }

    private void handle(LinkEvent event) {
        switch (event) {
            case LinkEvent.Arrived(ExecRegion arrived) -> enter(arrived);
            case LinkEvent.Draining() -> events.add(new SlotEvent.AgentDraining());
            case LinkEvent.Left() -> {
                leftAt = System.nanoTime();
                givenUp = false;
                connected = false; // an arrival that was told late must not outlive its end
                events.add(new SlotEvent.AgentLeft());
            }
            case LinkEvent.Violated(Violation violation) -> events.add(new SlotEvent.Violated(violation));
        }
    }

    private void enter(ExecRegion arrived) {
        boolean same = exec != null && exec.agentEpoch() == arrived.agentEpoch();
        givenUp = true;
        List<SlotEvent> met = new ArrayList<>();
        if (!same) {
            cells.forEach(cell -> cell.attach(arrived, met));
            exec = arrived;
        }
        handlers.restart();
        List<SlotEvent> found =
                met.stream().filter(SlotEvent.Found.class::isInstance).toList();
        met.removeAll(found);
        events.add(new SlotEvent.AgentArrived(arrived.agentEpoch(), same, found.size()));
        events.addAll(found);
        events.addAll(met);
        handlers.look(arrived, events);
        if (!same) {
            cells.forEach(cell -> cell.observe(events)); // they may have moved before they were met
        }
        connected = true;
    }

    private void giveUpAfterAbsence() {
        if (!givenUp && System.nanoTime() - leftAt > ABSENCE_NANOS) {
            givenUp = true;
            cells.forEach(cell -> cell.giveUp(events));
            handlers.withdraw(events);
        }
    }

    private void deliver(SlotEvent event) {
        try {
            listener.accept(event);
        } catch (RuntimeException e) {
            LOG.error("The listener failed on {}", event, e);
        }
    }

    /**
     * Sleeps until something may have happened since the last {@link #poll}, at most so long and never longer than to
     * the next sweep.
     *
     * @param stay false if the caller has something to do; whoever gives it something calls {@link #wake} afterwards
     */
    void sleep(long nanos, BooleanSupplier stay) {
        if (exec != looked) {
            return; // executors came during the look: their bell was not read before it
        }
        if (bell.isPresent() && bell.get().rung()) {
            emptyWakes++;
        } else {
            listen(bell, Math.min(nanos, longest(nanos).toNanos()), stay);
            resting = false;
        }
        if (emptyWakes > EMPTY_WAKES) {
            emptyWakes = EMPTY_WAKES;
            listen(Optional.empty(), Math.min(nanos, QUIET.toNanos()), stay);
        }
    }

    /**
     * Free slots owe nothing, so the only wakes that could be missed have ways of their own. Our own calls have a word
     * of their own, and the agent announces a change of the handlers' names.
     */
    private Duration longest(long nanos) {
        if (nanos <= SWEEP.toNanos() || !connected || !wait.hearsCalls()) {
            return SWEEP;
        }
        resting = true; // before the look: a dispatch that is not seen by it sees this
        return cells.stream().allMatch(SlotCell::isFree) ? REST : SWEEP;
    }

    /** A slot is free no more. */
    void dispatched() {
        if (resting) {
            wake();
        }
    }

    private void listen(Optional<Bell> rings, long nanos, BooleanSupplier stay) {
        long begun = System.nanoTime();
        // Say that we sleep, then look again: executors ring and then look at `parked`.
        control.parked(rings.isPresent());
        boolean ours = wait.sleep(rings, Duration.ofNanos(nanos), () -> nothingCame() && stay.getAsBoolean());
        control.parked(false);
        long slept = System.nanoTime() - begun;
        if (rings.isPresent() && !ours) {
            emptyWakes = slept < Math.min(nanos, QUIET.toNanos()) ? emptyWakes + 1 : 0;
        }
    }

    private boolean nothingCame() {
        return linkEvents.isEmpty() && toRecheck.isEmpty() && !handlersToRead && !closed;
    }

    boolean closed() {
        return closed;
    }

    void close() {
        closed = true;
        wake();
    }
}
