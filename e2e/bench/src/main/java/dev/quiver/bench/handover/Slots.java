package dev.quiver.bench.handover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.quiver.bench.Folders;
import dev.quiver.bench.process.Child;
import dev.quiver.slots.Assignment;
import dev.quiver.slots.BoardConfig;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandOver;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotResult;

/** The supervisor's board, the real agent and one handler process, in a region of this machine's shared memory. */
final class Slots implements Way {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path root;
    private final SlotBoard board;
    private final Child agent;
    private final LinkedBlockingQueue<Timed> events = new LinkedBlockingQueue<>();
    private final String handler;
    private final DataFormat format;
    private Duration ran = Duration.ZERO;

    private record Timed(SlotEvent event, long at) {}

    private Slots(Path agent, Side side, String handler, DataFormat format, long inputBytes) throws IOException {
        this.handler = handler;
        this.format = format;
        root = Files.createTempDirectory(Path.of("/dev/shm"), "quiver-bench-");
        Path in = Files.createDirectory(root.resolve("in"));
        Path out = Files.createDirectory(root.resolve("out"));
        board = SlotBoard.open(
                BoardConfig.fresh(in, out, new Geometry(1, inputBytes, 1 << 20), "bench/worker-0"),
                event -> events.add(new Timed(event, System.nanoTime())));
        List<String> command = new ArrayList<>(List.of(agent.toString(), "run", "--"));
        command.addAll(side.command());
        command.add("handler");
        Map<String, String> environment = new HashMap<>(side.environment());
        environment.put("QUIVER_IN", in.toString());
        environment.put("QUIVER_OUT", out.toString());
        environment.put("QUIVER_DRAIN_SECONDS", "0");
        this.agent = Child.start(root.resolve("log"), environment, command);
    }

    /** Ready when the handler has announced itself; inputs may have so many bytes beside their record. */
    static Slots open(Path agent, Side side, String handler, DataFormat format, long inputBytes) throws Exception {
        Slots slots = new Slots(agent, side, handler, format, inputBytes + 4096);
        slots.await(SlotEvent.HandlersAnnounced.class);
        return slots;
    }

    @Override
    public String name() {
        return format == DataFormat.ARROW ? "slots, Arrow" : "slots";
    }

    /** How long the last task ran in the handler. */
    Duration ran() {
        return ran;
    }

    /** From the call of the board to the board's word that it is done; acknowledging comes after that. */
    @Override
    public long roundTrip(byte[] payload) throws Exception {
        Assignment task = Assignment.of("bench", HandlerCall.of(handler)).with(new Payload(payload, format, false));
        long began = System.nanoTime();
        hand(task);
        Timed finished = await(SlotEvent.Finished.class);
        SlotResult result = ((SlotEvent.Finished) finished.event()).result();
        settle(result);
        ran = result.ran();
        return finished.at() - began;
    }

    /** The output of a function. */
    byte[] call(String function, Payload payload) throws Exception {
        hand(Assignment.of("bench", HandlerCall.of(function)).with(payload));
        SlotResult result =
                ((SlotEvent.Finished) await(SlotEvent.Finished.class).event()).result();
        FileRead output = board.output(result);
        settle(result);
        if (!(output instanceof FileRead.Content(byte[] bytes))) {
            throw new IOException("no output: " + output);
        }
        return bytes;
    }

    /** A folder that both sides see. */
    Path volume() {
        return root.resolve("in");
    }

    private void hand(Assignment task) throws Exception {
        HandOver handOver = board.handOver(0, task);
        while (handOver instanceof HandOver.NotFree) { // its first Ready is still to come
            await(SlotEvent.Ready.class);
            handOver = board.handOver(0, task);
        }
        if (!(handOver instanceof HandOver.Handed)) {
            throw new IOException("not handed over: " + handOver);
        }
    }

    private void settle(SlotResult result) throws Exception {
        if (!result.passed()) {
            throw new IOException("a task failed: " + result);
        }
        board.acknowledge(0, result.generation());
        await(SlotEvent.Ready.class);
    }

    private Timed await(Class<? extends SlotEvent> kind) throws Exception {
        while (true) {
            Timed next = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException("no " + kind.getSimpleName() + "; the agent said: " + agent.lastWords());
            }
            if (kind.isInstance(next.event())) {
                return next;
            }
        }
    }

    @Override
    public void close() throws IOException {
        agent.close();
        board.close();
        Folders.delete(root);
    }
}
