package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.FrameDescriptor;
import dev.quiver.slots.linux.Descriptor;
import dev.quiver.slots.linux.FrameSocket;
import dev.quiver.slots.linux.LinuxException;

/**
 * The supervisor's end of the socket: one agent at a time, fixed frames, a descriptor only with EXEC. The
 * connection of a peer that breaks this ends. Runs a thread of its own.
 */
final class AgentLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentLink.class);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** An agent lays out its volume before it introduces itself, which takes seconds for many gigabytes. */
    private static final Duration INTRODUCTION = Duration.ofMinutes(1);

    /** Far above the needs of an honest agent. */
    private final Pace reads = new Pace(256, 100);

    /** The link's events; called from the link's thread. */
    interface Listener {
        /** An agent sent its memory. */
        void arrived(ExecRegion exec);

        /** It is ending. */
        void draining();

        /** The list of handlers in its memory is another now. */
        void handlersChanged();

        /** Its connection is over. */
        void left();

        /** It broke a rule, and was hung up on. */
        void violated(Violation violation);
    }

    private final ControlRegion control;
    private final Listener listener;
    private final AgentListener agents;
    private final Thread thread;
    private final ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final Object peerLock = new Object();
    private FrameSocket peer; // guarded by peerLock for use by other threads
    private Optional<Descriptor> passed = Optional.empty();
    private boolean introduced;
    private long calledAt; // when the peer was let in
    private volatile boolean closed;

    AgentLink(Path in, ControlRegion control, Listener listener) {
        this.control = control;
        this.listener = listener;
        this.agents = AgentListener.in(in);
        this.thread = Thread.ofPlatform().name("quiver-agent-link").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Asks the agent to look at the slot's word now. A frame that cannot be sent is made up for by its sweep. */
    void askToLook(int slot) {
        ByteBuffer look = outgoing(FrameDescriptor.LOOK, slot);
        synchronized (peerLock) {
            if (peer != null) {
                peer.send(look.array());
            }
        }
    }

    private ByteBuffer outgoing(short type, int slots) {
        ByteBuffer to = ByteBuffer.allocate(FrameDescriptor.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(FrameDescriptor.MAGIC_AT, FrameDescriptor.MAGIC);
        to.putShort(FrameDescriptor.MAJOR_AT, ControlDescriptor.MAJOR);
        to.putShort(FrameDescriptor.TYPE_AT, type);
        to.putInt(FrameDescriptor.SLOTS_AT, slots);
        to.putLong(FrameDescriptor.REGION_ID_AT, Long.reverseBytes(control.id().getMostSignificantBits()));
        to.putLong(
                FrameDescriptor.REGION_ID_AT + 8, Long.reverseBytes(control.id().getLeastSignificantBits()));
        to.putLong(FrameDescriptor.EPOCH_AT, control.epoch());
        return to;
    }

    private void run() {
        while (!closed) {
            try {
                attend(System.nanoTime());
            } catch (LinuxException e) {
                hangUp();
                if (!closed) {
                    LOG.warn("The agent's connection failed: {}", e.getMessage());
                }
            }
        }
    }

    /** Sleeps until somebody wants something. A caller that comes too often waits, at no cost to others. */
    private void attend(long now) throws LinuxException {
        Duration toNextCaller = agents.untilNext(now);
        Duration toNextRead = peer == null ? Duration.ZERO : reads.untilNext(now);
        boolean doorOpen = toNextCaller.isZero();
        if (!toNextRead.isZero() || (peer == null && !doorOpen)) {
            LockSupport.parkNanos(Math.min(PATIENCE.toNanos(), (peer == null ? toNextCaller : toNextRead).toNanos()));
        } else if (peer == null) {
            FrameSocket.awaitReadable(PATIENCE, agents.socket());
            agents.accept(System.nanoTime()).ifPresent(this::greet);
        } else if (doorOpen) {
            FrameSocket.awaitReadable(PATIENCE, peer, agents.socket());
            // One connection: while an agent is there nobody else is listened to.
            agents.accept(System.nanoTime()).ifPresent(FrameSocket::close);
            receive();
        } else {
            FrameSocket.awaitReadable(toNextCaller.compareTo(PATIENCE) < 0 ? toNextCaller : PATIENCE, peer);
            receive();
        }
    }

    private void greet(FrameSocket caller) {
        calledAt = System.nanoTime();
        caller.send(outgoing(FrameDescriptor.HELLO, control.geometry().slots()).array());
        synchronized (peerLock) {
            peer = caller;
        }
    }

    private void receive() throws LinuxException {
        if (!introduced && System.nanoTime() - calledAt > INTRODUCTION.toNanos()) { // whatever else it says meanwhile
            LOG.warn("Who connected did not introduce itself within {}", INTRODUCTION);
            hangUp();
            return;
        }
        Optional<FrameSocket.Received> came = peer.receive(frame.remaining());
        if (came.isEmpty()) {
            return;
        }
        reads.count(System.nanoTime());
        FrameSocket.Received received = came.get();
        received.passed().ifPresent(descriptor -> {
            passed.ifPresent(Descriptor::close);
            passed = Optional.of(descriptor);
        });
        if (received.excess()) {
            refuse("more than one descriptor came with a frame");
        } else if (received.bytes().length == 0) {
            hangUp();
        } else if (!frame.put(received.bytes()).hasRemaining()) {
            take();
            frame.clear();
        }
    }

    private void take() {
        short major = frame.getShort(FrameDescriptor.MAJOR_AT);
        if (frame.getInt(FrameDescriptor.MAGIC_AT) != FrameDescriptor.MAGIC) {
            refuse("a frame does not begin with QFRM");
            return;
        }
        if (major != ControlDescriptor.MAJOR) {
            refuse("the agent speaks version " + Short.toUnsignedInt(major) + " of the slots, this supervisor version "
                    + ControlDescriptor.MAJOR + ": use one release of the worker image for both");
            return;
        }
        switch (frame.getShort(FrameDescriptor.TYPE_AT)) {
            case FrameDescriptor.EXEC -> takeMemory();
            case FrameDescriptor.DRAINING -> {
                if (introduced) {
                    listener.draining();
                }
            }
            case FrameDescriptor.HANDLERS -> {
                if (introduced) {
                    listener.handlersChanged();
                }
            }
            default -> refuse("a frame has type " + frame.getShort(FrameDescriptor.TYPE_AT));
        }
    }

    private void takeMemory() {
        if (passed.isEmpty() || introduced) {
            refuse(introduced ? "a second EXEC frame came" : "an EXEC frame came without its descriptor");
            return;
        }
        try (Descriptor memory = passed.get()) {
            passed = Optional.empty();
            ExecRegion exec = ExecRegion.map(memory, control);
            introduced = true;
            listener.arrived(exec);
        } catch (ExecRegion.RefusedException e) {
            refuse(e.getMessage());
        }
    }

    private void refuse(String text) {
        listener.violated(new Violation(-1, Violation.Kind.CONNECTION, text));
        hangUp();
    }

    private void hangUp() {
        passed.ifPresent(Descriptor::close);
        passed = Optional.empty();
        frame.clear();
        synchronized (peerLock) {
            if (peer != null) {
                peer.close();
                peer = null;
            }
        }
        if (introduced) {
            introduced = false;
            listener.left();
        }
    }

    @Override
    public void close() {
        closed = true;
        agents.shutdown();
        synchronized (peerLock) {
            if (peer != null) {
                peer.shutdown();
            }
        }
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        hangUp();
        agents.close();
    }
}
