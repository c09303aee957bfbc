package dev.quiver.slots.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.awaitility.Awaitility;

import dev.quiver.slots.Assignment;
import dev.quiver.slots.BoardConfig;
import dev.quiver.slots.Command;
import dev.quiver.slots.Dispatch;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;

/**
 * Both sides of a worker pod's slots on this machine: volumes in shared memory, the real agent, and the board of this
 * JVM. There is no supervisor in it, and no Redis.
 */
public final class AgentPod implements AutoCloseable {
    private final Volumes volumes = Volumes.create("quiver-slots-it");
    private final Geometry geometry;
    private final LinkedBlockingDeque<SlotEvent> events = new LinkedBlockingDeque<>();
    private final List<SlotResult> overtaken = new ArrayList<>(); // came while another end was awaited
    private SlotBoard board;
    private AgentProcess agent;
    private List<String> names = List.of();

    private AgentPod(Geometry geometry) {
        this.geometry = geometry;
    }

    /** Volumes only. */
    public static AgentPod bare(Geometry geometry) {
        return new AgentPod(geometry);
    }

    /** Board and agent, every slot ready. */
    public static AgentPod running(Geometry geometry) {
        return running(geometry, Map.of());
    }

    public static AgentPod running(Geometry geometry, Map<String, String> env) {
        AgentPod pod = bare(geometry);
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.startAgent(env);
        pod.awaitAllReady();
        return pod;
    }

    /** Board and agent with a handler in each slot, every slot ready and the handlers announced. */
    public static AgentPod serving(Geometry geometry, Map<String, String> env, String... handler) {
        AgentPod pod = bare(geometry);
        pod.startBoard(BoardConfig.Start.FRESH);
        pod.startAgent(env, handler);
        pod.awaitAllReady();
        pod.names = pod.await(SlotEvent.HandlersAnnounced.class).names();
        return pod;
    }

    public void startBoard(BoardConfig.Start start) {
        BoardConfig config = new BoardConfig(in(), out(), geometry, "it/worker-0", start);
        board = SlotBoard.open(config.withWhole(Optional.of(volumes.whole())), events::add);
    }

    /** Closes the board, if there is one, and forgets it, so that its mappings can be collected. */
    public void closeBoard() {
        if (board != null) {
            board.close();
            board = null;
        }
    }

    /** With the words of a handler's command, or none. */
    public void startAgent(Map<String, String> env, String... handler) {
        agent = AgentProcess.start(volumes, env, handler);
    }

    /** By a command that runs an agent. */
    public void startAgent(ProcessBuilder command) {
        agent = AgentProcess.start(volumes, Map.of(), command);
    }

    /** Beside the agent of this pod, over the same volumes; to be closed by the caller. */
    public AgentProcess startSecondAgent() {
        return AgentProcess.start(volumes, Map.of());
    }

    /** Where the volumes are. */
    public Path root() {
        return volumes.root();
    }

    /** The volume that the supervisor alone writes. */
    public Path in() {
        return volumes.in();
    }

    /** The volume that both write. */
    public Path out() {
        return volumes.out();
    }

    /** The supervisor's side, as it was started last. */
    public SlotBoard board() {
        return board;
    }

    /** The agent that was started last. */
    public AgentProcess agent() {
        return agent;
    }

    /** The events that nobody has awaited yet. */
    public LinkedBlockingDeque<SlotEvent> events() {
        return events;
    }

    /** The words that the handlers of a {@linkplain #serving serving} pod announced. */
    public List<String> names() {
        return names;
    }

    public void awaitAllReady() {
        for (int i = 0; i < geometry.slots(); i++) {
            await(SlotEvent.Ready.class);
        }
    }

    /** The next event of this kind; those before it are passed over. */
    public <E extends SlotEvent> E await(Class<E> kind) {
        return await(kind, event -> true);
    }

    public <E extends SlotEvent> E await(Class<E> kind, Predicate<E> wanted) {
        long until = System.nanoTime() + Patience.LIMIT.toNanos();
        StringBuilder passed = new StringBuilder();
        try {
            while (true) {
                SlotEvent event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (event == null) {
                    throw new AssertionError("no " + kind.getSimpleName() + " came, but " + passed + "; agent says: "
                            + (agent == null ? "" : agent.stderr()));
                }
                if (kind.isInstance(event) && wanted.test(kind.cast(event))) {
                    return kind.cast(event);
                }
                passed.append(event).append(' ');
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The very next event. */
    public SlotEvent next() {
        return await(SlotEvent.class);
    }

    public static void awaitFile(Path path) {
        Awaitility.await(path.toString()).until(() -> Files.exists(path));
    }

    /** An empty file beside the volumes. */
    public void create(String name) {
        try {
            Files.createFile(root().resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Words of a shell that wait until there is {@linkplain #create such a file}, or no pod any more. */
    public String gate(String name) {
        return "until test -e " + root().resolve(name) + " || test ! -d " + root() + "; do sleep 0.05; done";
    }

    public long dispatch(int slot, Assignment assignment) {
        Dispatch dispatch = board.dispatch(slot, assignment);
        assertThat(dispatch).isInstanceOf(Dispatch.Accepted.class);
        return ((Dispatch.Accepted) dispatch).generation();
    }

    /** The end of this generation, whatever the order in which the tasks of several slots end. */
    public SlotResult finished(int slot, long generation) {
        return finished(result -> result.slot() == slot && result.generation() == generation);
    }

    /** The next end in this slot, whatever the order in which the tasks of several slots end. */
    public SlotResult finished(int slot) {
        return finished(result -> result.slot() == slot);
    }

    private SlotResult finished(Predicate<SlotResult> wanted) {
        for (SlotResult result : overtaken) {
            if (wanted.test(result)) {
                overtaken.remove(result);
                return result;
            }
        }
        while (true) {
            SlotResult result = await(SlotEvent.Finished.class).result();
            if (wanted.test(result)) {
                return result;
            }
            overtaken.add(result);
        }
    }

    /** Runs it in slot 0 and leaves the result unacknowledged. */
    public SlotResult run(Assignment assignment) {
        dispatch(0, assignment);
        return await(SlotEvent.Finished.class).result();
    }

    /** Cancels each as soon as it is dispatched, so often: who is called off does not finish, and the other way round. */
    public void cancelAtOnce(Assignment assignment, int times) {
        for (int i = 0; i < times; i++) {
            long generation = dispatch(0, assignment);
            boolean called = board.cancel(0, generation);
            SlotEvent end = await(
                    SlotEvent.class,
                    event -> event instanceof SlotEvent.Finished || event instanceof SlotEvent.Cancelled);
            assertThat(end instanceof SlotEvent.Cancelled).isEqualTo(called);
            if (end instanceof SlotEvent.Finished(SlotResult result)) {
                acknowledge(result);
            } else {
                await(SlotEvent.Ready.class);
            }
        }
    }

    public SlotResult run(Command command) {
        return run(Assignment.of("it/task", command));
    }

    public SlotResult shell(String script) {
        return run(sh(script));
    }

    public static Command sh(String script) {
        return Command.of("/bin/sh", "-c", script);
    }

    public void acknowledge(SlotResult result) {
        assertThat(board.acknowledge(result.slot(), result.generation())).isTrue();
        await(SlotEvent.Ready.class, ready -> ready.slot() == result.slot());
    }

    public String output(SlotResult result) {
        return text(outputBytes(result));
    }

    public byte[] outputBytes(SlotResult result) {
        return bytes(board.output(result));
    }

    public String stdout(SlotResult result) {
        return text(bytes(board.tail(result, TaskStream.STDOUT)));
    }

    public String stderr(SlotResult result) {
        return text(bytes(board.tail(result, TaskStream.STDERR)));
    }

    private static byte[] bytes(FileRead read) {
        assertThat(read).isInstanceOf(FileRead.Content.class);
        return ((FileRead.Content) read).bytes();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (agent != null) {
            agent.close();
        }
        closeBoard();
        volumes.close();
    }
}
