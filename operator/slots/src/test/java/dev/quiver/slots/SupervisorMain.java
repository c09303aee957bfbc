package dev.quiver.slots;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.quiver.slots.rig.AgentPod;

/**
 * A supervisor as a process of its own, so that it can be killed. Its words on stdout are what Redis would know: a line
 * is out before the next thing is done. Reads from stdin {@code hand SLOT SCRIPT}, {@code ack SLOT GENERATION}, or {@code
 * auto SEED PERCENT} to go on by itself with random tasks. So many percent of them are for a handler of the C example.
 *
 * <p>Arguments: in, out, slots, FRESH or RESUME, and what Redis holds: {@code SLOT:GENERATION} each.
 */
final class SupervisorMain {
    static final int BYTES = 8192;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Set<String> held;
    private final Set<Integer> idle = new TreeSet<>(); // became free while nothing was to be dispatched
    private final Set<Integer> busy = new TreeSet<>(); // dispatched; no end was said yet
    private SlotBoard board;
    private Random random; // null: does only what it is told
    private int handlerPercent;

    private SupervisorMain(Set<String> held) {
        this.held = held;
    }

    public static void main(String[] args) throws IOException {
        Set<String> held = Arrays.stream(args).skip(4).collect(Collectors.toSet());
        Geometry geometry = new Geometry(Integer.parseInt(args[2]), BYTES, BYTES);
        BoardConfig.Start start = BoardConfig.Start.valueOf(args[3]);
        SupervisorMain supervisor = new SupervisorMain(held);
        System.setOut(System.err); // what is logged is not for the ledger
        supervisor.serve(new BoardConfig(Path.of(args[0]), Path.of(args[1]), geometry, "it/child", start));
    }

    private void serve(BoardConfig config) throws IOException {
        synchronized (this) {
            board = SlotBoard.open(config, this::on);
            out.println("open " + board.regionId() + " " + board.resumed());
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            obey(line.split(" ", 3));
        }
        board.close();
    }

    private synchronized void obey(String[] words) {
        switch (words[0]) {
            case "hand" -> {
                boolean ignored = hand(Integer.parseInt(words[1]), AgentPod.sh(words[2]));
            }
            case "ack" -> board.acknowledge(Integer.parseInt(words[1]), Long.parseLong(words[2]));
            case "auto" -> {
                random = new Random(Long.parseLong(words[1]));
                handlerPercent = Integer.parseInt(words[2]);
                idle.forEach(this::handSomething); // only these: all others say Ready first, to another agent again
                idle.clear();
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private synchronized void on(SlotEvent event) {
        switch (event) {
            case SlotEvent.AgentArrived(long epoch, boolean same, int found) ->
                out.println("arrived " + epoch + " " + same + " " + found);
            case SlotEvent.Ready(int slot) -> {
                // Said of another agent, and late: the slot was dispatched meanwhile. A supervisor takes no notice
                // either.
                if (!busy.contains(slot)) {
                    out.println("ready " + slot);
                    handSomething(slot);
                }
            }
            case SlotEvent.Finished(SlotResult result) -> {
                busy.remove(result.slot());
                out.println("finished " + result.slot() + " " + result.generation() + " " + result.passed() + " "
                        + result.reason());
                if (random != null && !follows(result)) {
                    board.acknowledge(result.slot(), result.generation());
                }
            }
            case SlotEvent.Cancelled(int slot, long generation, boolean started) -> {
                busy.remove(slot);
                out.println("cancelled " + slot + " " + generation + " " + started);
            }
            case SlotEvent.Lost(int slot, long generation, boolean started) -> {
                busy.remove(slot);
                out.println("lost " + slot + " " + generation + " " + started);
            }
            case SlotEvent.Found(int slot, long generation, SlotState state) -> {
                boolean ours = held.contains(slot + ":" + generation);
                boolean kept = ours && board.adopt(slot, generation, Optional.empty());
                out.println("found " + slot + " " + generation + " " + state + " " + kept);
                if (!kept) {
                    board.cancel(slot, generation);
                }
            }
            case SlotEvent.Violated(Violation violation) -> out.println("violated " + violation);
            case SlotEvent.AgentLeft _,
                    SlotEvent.AgentDraining _,
                    SlotEvent.HandlersAnnounced _,
                    SlotEvent.Outcomes _ -> out.println("said " + event);
        }
    }

    private void handSomething(int slot) {
        if (random == null) {
            idle.add(slot);
        } else {
            boolean ignored = handAnything(slot);
        }
    }

    /** Half of the passes that may be followed at once are. */
    private boolean follows(SlotResult result) {
        return random.nextBoolean()
                && board.takesNext(result.slot(), result.generation())
                && handAnything(result.slot());
    }

    private boolean handAnything(int slot) {
        boolean call = random.nextInt(100) < handlerPercent;
        return hand(slot, call ? HandlerCall.of(random.nextInt(3) == 0 ? "count" : "upper") : AgentPod.sh(script()));
    }

    private String script() {
        return switch (random.nextInt(4)) {
            case 0 -> "exit 0";
            case 1 -> "exit 1";
            case 2 -> "sleep 0.05";
            default -> "setsid sleep 0.3 & echo x > $QUIVER_OUTPUT";
        };
    }

    private boolean hand(int slot, SlotProgram execution) {
        Assignment assignment = Assignment.of("s", execution).with(Payload.json("7"));
        if (board.dispatch(slot, assignment) instanceof Dispatch.Accepted(long generation, var _)) {
            busy.add(slot);
            out.println("dispatched " + slot + " " + generation);
            if (random != null && random.nextInt(8) == 0) {
                board.cancel(slot, generation);
            }
            return true;
        }
        return false;
    }
}
