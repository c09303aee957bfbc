package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;

/**
 * Reads both words of every slot all the time, by a way of its own: the file, and the agent's memory through /proc. It
 * judges every move that it sees. It misses most; none that it sees may be against the table.
 */
final class WordsWatch implements AutoCloseable {
    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final long PAUSE_NANOS = 50_000;

    private final Path control;
    private final int slots;
    private final long[] lastS;
    private final long[] lastU;
    private final Map<String, Long> moves = new TreeMap<>();
    private final Set<SlotState> states = EnumSet.noneOf(SlotState.class);
    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);
    private MemorySegment ours;
    private MemorySegment theirs;
    private ProcessHandle agent;
    private String wrong = "";
    private volatile boolean closed;

    WordsWatch(Path control, int slots) {
        this.control = control;
        this.slots = slots;
        this.lastS = new long[slots];
        this.lastU = new long[slots];
        thread.start();
    }

    /** Another agent, and so another exec. */
    synchronized void follow(ProcessHandle process) {
        agent = process;
        theirs = null;
    }

    /** The agent is about to be killed: its exec ends. */
    synchronized void forget() {
        follow(null);
    }

    /** How often each move between two states was seen. */
    synchronized Map<String, Long> moves() {
        return new TreeMap<>(moves);
    }

    /** The states that were seen. */
    synchronized Set<SlotState> states() {
        return EnumSet.copyOf(states);
    }

    /** The moves that were seen and may not be; empty if there are none. */
    synchronized String wrong() {
        return wrong;
    }

    private void run() {
        while (!closed) {
            try {
                look();
            } catch (RuntimeException e) {
                failed(e);
                return;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** A watch that sees no more is a failure of its own test: Awaitility would show the exception in any other one. */
    private synchronized void failed(RuntimeException e) {
        wrong = "the watch itself failed: " + e;
    }

    private synchronized void look() {
        if (agent == null || (theirs == null && !map())) {
            return;
        }
        for (int slot = 0; slot < slots && wrong.isEmpty(); slot++) {
            long before = (long) LONG.getVolatile(ours, ControlDescriptor.slot(slot) + ControlDescriptor.WORD);
            long u = (long) LONG.getVolatile(theirs, ExecDescriptor.slot(slot) + ExecDescriptor.WORD);
            long s = (long) LONG.getVolatile(ours, ControlDescriptor.slot(slot) + ControlDescriptor.WORD);
            if (s == before && agent.isAlive()) { // only then did the two ever stand side by side
                judge(slot, s, u);
            }
        }
    }

    private void judge(int slot, long s, long u) {
        if (!SlotRules.mayFollow(lastU[slot], u)) {
            wrong = "slot " + slot + ": U moved " + Words.text(lastS[slot], lastU[slot]) + " → " + Words.text(s, u);
        } else if (!supervisorMay(lastS[slot], s)) {
            wrong = "slot " + slot + ": S moved " + Words.text(lastS[slot], lastU[slot]) + " → " + Words.text(s, u);
        } else if (SlotRules.view(s, u) instanceof SlotView.Impossible(String text)) {
            wrong = "slot " + slot + ": " + text;
        } else if (s != lastS[slot] || u != lastU[slot]) {
            judge(slot, lastS[slot], lastU[slot], s, u);
        }
        lastS[slot] = s;
        lastU[slot] = u;
    }

    /** From one state of the table to another. */
    private void judge(int slot, long oldS, long oldU, long s, long u) {
        if (SlotRules.view(oldS, oldU) instanceof SlotView.Seen(SlotState from)
                && SlotRules.view(s, u) instanceof SlotView.Seen(SlotState to)) {
            boolean sameTask = Words.generation(oldS) == Words.generation(s);
            states.add(to);
            moves.merge(from + " → " + to, 1L, Long::sum);
            if (sameTask && !StateTable.mayFollow(from, to)) {
                wrong = "slot " + slot + ": no way in the table leads from " + from + " to " + to + ", "
                        + Words.text(oldS, oldU) + " → " + Words.text(s, u);
            }
        }
    }

    /** Forward only: run, then cancel or fail or acknowledge; fail, then acknowledge; the next generation begins with run. */
    private static boolean supervisorMay(long before, long after) {
        if (Words.generation(after) != Words.generation(before)) {
            return Words.generation(after) > Words.generation(before);
        }
        Op from = Words.op(before).orElseThrow();
        Op to = Words.op(after).orElseThrow();
        return from == to || from == Op.RUN || (from == Op.FAIL && to == Op.ACKNOWLEDGE);
    }

    private boolean map() {
        try {
            Optional<Path> memory = memory();
            if (memory.isEmpty()) {
                return false;
            }
            ours = map(control);
            theirs = map(memory.get());
            for (int slot = 0; slot < slots; slot++) {
                lastU[slot] = (long) LONG.getVolatile(theirs, ExecDescriptor.slot(slot) + ExecDescriptor.WORD);
                lastS[slot] = (long) LONG.getVolatile(ours, ControlDescriptor.slot(slot) + ControlDescriptor.WORD);
            }
            boolean whole = Arrays.stream(lastU).allMatch(u -> Words.stage(u).orElse(Stage.NONE) != Stage.NONE);
            theirs = whole ? theirs : null; // it is shown to the supervisor when it is whole
            return whole;
        } catch (IOException | UncheckedIOException e) {
            theirs = null; // it is just being made, or gone
            return false;
        }
    }

    private Optional<Path> memory() throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/" + agent.pid() + "/fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.readSymbolicLink(descriptor).toString().contains("memfd:quiver-exec")) {
                    return Optional.of(descriptor);
                }
            }
            return Optional.empty();
        }
    }

    private static MemorySegment map(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (channel.size() == 0) {
                throw new IOException(path + " has no size yet");
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
