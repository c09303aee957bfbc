package dev.quiver.bench.quiver;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import dev.quiver.bench.Folders;
import dev.quiver.bench.process.Child;
import dev.quiver.slots.BoardConfig;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;

/** A worker pod without Redis: the supervisor's board in this JVM, and an executor, over slots in /dev/shm. */
public final class BoardPod implements Closeable {

    private final Path root;
    private final SlotBoard board;
    private final Child executor;

    private BoardPod(Path root, SlotBoard board, Child executor) {
        this.root = root;
        this.board = board;
        this.executor = executor;
    }

    /**
     * Opens the board, then starts the executor.
     *
     * @param listener called from the board's own thread; it may call the board and must not block
     */
    public static BoardPod open(ExecutorProgram executor, Geometry geometry, BiConsumer<SlotBoard, SlotEvent> listener)
            throws IOException {
        Path root = Files.createTempDirectory(Path.of("/dev/shm"), "quiver-bench-");
        Path in = Files.createDirectory(root.resolve("in"));
        Path out = Files.createDirectory(root.resolve("out"));
        CompletableFuture<SlotBoard> opened = new CompletableFuture<>();
        SlotBoard board = SlotBoard.open(
                BoardConfig.fresh(in, out, geometry, "bench/worker-0"), event -> listener.accept(opened.join(), event));
        opened.complete(board);
        Map<String, String> environment = new HashMap<>(executor.environment());
        environment.put("QUIVER_IN", in.toString());
        environment.put("QUIVER_OUT", out.toString());
        environment.put("QUIVER_DRAIN_SECONDS", "0");
        return new BoardPod(root, board, Child.start(root.resolve("log"), environment, executor.command()));
    }

    /** The supervisor's side. */
    public SlotBoard board() {
        return board;
    }

    /** The executor's process; runners and handlers descend from it. */
    public Child executor() {
        return executor;
    }

    /** A folder that both sides see. */
    public Path volume() {
        return root.resolve("in");
    }

    @Override
    public void close() throws IOException {
        executor.close();
        board.close();
        Folders.delete(root);
    }
}
