package dev.quiver.slots;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that waits for all slots: sleeps on the doorbell, looks at every U, tells the listener. What the
 * agent's link has to say goes through its queue, so that events have one order.
 */
final class BoardThread implements AgentLink.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(BoardThread.class);
    private static final Duration SWEEP = Duration.ofMillis(200);

    /** An agent that is away for longer will not bring its tasks back. */
    private static final long ABSENCE_NANOS = Duration.ofSeconds(5).toNanos();

    /** So many wakes in a row with nothing behind them, rung or not, and there is a look only every millisecond. */
    private static final int EMPTY_WAKES = 64;

    private static final long QUIET_NANOS = Duration.ofMillis(1).toNanos();

    private sealed interface LinkEvent {
        record Arrived(ExecRegion exec) implements LinkEvent {}

        record Draining() implements LinkEvent {}

        record Left() implements LinkEvent {}

        record Violated(Violation violation) implements LinkEvent {}
    }

    private final ControlRegion control;
    private final List<SlotCell> cells;
    private final Consumer<SlotEvent> listener;
    private final Thread thread;
    private final Queue<LinkEvent> linkEvents = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> toRecheck = new ConcurrentLinkedQueue<>();
    private final List<SlotEvent> events = new ArrayList<>();
    private volatile ExecRegion exec; // null until an agent has come
    private final HandlerWatch handlers = new HandlerWatch();
    private volatile boolean handlersToRead;
    private volatile boolean connected;
    private volatile boolean draining;
    private volatile boolean closed;
    private long leftAt;
    private boolean givenUp = true;
    private long sweepAt = System.nanoTime();
    private int emptyWakes;

    BoardThread(ControlRegion control, List<SlotCell> cells, Consumer<SlotEvent> listener) {
        this.control = control;
        this.cells = cells;
        this.listener = listener;
        this.thread = Thread.ofPlatform().name("quiver-slots").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
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

    private void wake() {
        ExecRegion present = exec;
        if (present != null) {
            present.wakeSleeper();
        }
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            ExecRegion present = exec;
            int bell = present == null ? 0 : present.doorbell();
            boolean something = look(present);
            sweep(present);
            if (!something) {
                sleep(present, bell);
            }
        }
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

    /** What does not come with a ring. */
    private void sweep(ExecRegion present) {
        long now = System.nanoTime();
        control.beat(now);
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

    private void sleep(ExecRegion present, int bell) {
        if (present == null) {
            LockSupport.parkNanos(SWEEP.toNanos());
            return;
        }
        if (++emptyWakes > EMPTY_WAKES) {
            LockSupport.parkNanos(QUIET_NANOS);
        }
        if (present.doorbell() != bell) {
            return;
        }
        long begun = System.nanoTime();
        // Say that we sleep, then look again: executors ring and then look at `parked`.
        control.parked(true);
        if (linkEvents.isEmpty() && toRecheck.isEmpty() && !handlersToRead && !closed) {
            present.awaitBell(bell, SWEEP);
        }
        control.parked(false);
        if (System.nanoTime() - begun >= QUIET_NANOS) {
            emptyWakes = 0;
        }
    }

    void close() {
        closed = true;
        wake();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
