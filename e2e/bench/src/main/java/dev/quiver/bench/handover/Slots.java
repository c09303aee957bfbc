package dev.quiver.bench.handover;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.quiver.bench.quiver.BoardPod;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.slots.Assignment;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Dispatch;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotResult;

/** The supervisor's board, the real agent and one handler process, in a region of this machine's shared memory. */
final class Slots implements Way {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final BoardPod pod;
    private final SlotBoard board;
    private final LinkedBlockingQueue<Timed> events = new LinkedBlockingQueue<>();
    private final String handler;
    private final DataFormat format;
    private Duration ran = Duration.ZERO;

    private record Timed(SlotEvent event, long at) {}

    private Slots(Path agent, Side side, String handler, DataFormat format, long inputBytes) throws IOException {
        this.handler = handler;
        this.format = format;
        List<String> words = new ArrayList<>(side.command());
        words.add("handler");
        pod = BoardPod.open(
                ExecutorProgram.withHandlers(agent, words, side.environment()),
                new Geometry(1, inputBytes, 1 << 20),
                (board, event) -> events.add(new Timed(event, System.nanoTime())));
        board = pod.board();
    }

    /** Opens them, ready when the handler has announced itself. Inputs may have so many bytes beside their record. */
    static Slots open(Path agent, Side side, String handler, DataFormat format, long inputBytes) throws Exception {
        Slots slots = new Slots(agent, side, handler, format, inputBytes + 4096);
        slots.await(SlotEvent.HandlersAnnounced.class);
        return slots;
    }

    @Override
    public String name() {
        return format == DataFormat.ARROW ? "slots, Arrow" : "slots";
    }

    /** The run time of the last task in the handler. */
    Duration ran() {
        return ran;
    }

    /** From the call of the board to its event of the end; the acknowledgement comes after that. */
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
        return pod.volume();
    }

    private void hand(Assignment task) throws Exception {
        Dispatch dispatch = board.dispatch(0, task);
        while (dispatch instanceof Dispatch.NotFree) { // its first Ready is still to come
            await(SlotEvent.Ready.class);
            dispatch = board.dispatch(0, task);
        }
        if (!(dispatch instanceof Dispatch.Accepted)) {
            throw new IOException("not dispatched: " + dispatch);
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
                throw new IOException("no " + kind.getSimpleName() + "; the agent's output: "
                        + pod.executor().lastWords());
            }
            if (kind.isInstance(next.event())) {
                return next;
            }
        }
    }

    @Override
    public void close() throws IOException {
        pod.close();
    }
}
