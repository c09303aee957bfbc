package dev.quiver.slots;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.linux.Futex;

/**
 * The supervisor's side of all slots of a worker pod. Thread-safe; a dispatch takes about a microsecond and never
 * waits for the executor.
 *
 * <p>Life of a slot: {@link SlotEvent.Ready} → {@link #dispatch} → {@link SlotEvent.Finished} → report to Redis → {@link
 * #acknowledge} → Ready, or the next dispatch at once where the slot {@linkplain #takesNext takes it}. Instead of
 * Finished there may be {@link SlotEvent.Cancelled} (after {@link #cancel}), {@link SlotEvent.Lost} or {@link
 * SlotEvent.Violated}; each dispatch ends in exactly one of the four.
 */
public final class SlotBoard implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final Geometry geometry;
    private final ControlRegion control;
    private final byte[] workerId;
    private final List<SlotCell> cells;
    private final OutFiles files;
    private final Optional<Path> whole;
    private final AgentLink link;
    private final BoardWatch watch;
    private final Optional<Thread> thread;
    private final boolean resumed;

    private SlotBoard(BoardConfig config, Consumer<SlotEvent> listener, boolean threaded) {
        RegionFiles layout = new RegionFiles(config.in(), config.geometry());
        long now = System.nanoTime();
        Optional<ControlRegion> found =
                config.start() == BoardConfig.Start.RESUME ? layout.resume(now) : Optional.empty();
        this.geometry = config.geometry();
        this.control = found.orElseGet(() -> layout.create(now));
        this.resumed = found.isPresent();
        this.workerId = Texts.utf8(config.workerId(), ControlDescriptor.ID_BYTES);
        this.files = new OutFiles(config.out(), geometry.outputBytes());
        this.whole = config.whole();
        List<SlotCell> all = new ArrayList<>();
        for (int slot = 0; slot < geometry.slots(); slot++) {
            all.add(new SlotCell(slot, control));
        }
        this.cells = List.copyOf(all);
        this.watch = new BoardWatch(control, cells, listener, new DoorbellWait(Futex.Pair.supported()));
        this.link = new AgentLink(config.in(), control, watch);
        this.thread = threaded
                ? Optional.of(Thread.ofPlatform().name("quiver-slots").daemon().unstarted(this::run))
                : Optional.empty();
    }

    /**
     * Lays out the volume {@code in}, opens the socket and begins to listen, on a thread of the board's own. Returns
     * when an agent may connect.
     *
     * @param listener called from the board's own thread, one event at a time, in order. It may call the board (hand
     *     over, cancel, acknowledge) but must not block: while it runs no slot is looked at. An exception is logged and
     *     goes no further
     * @throws SlotsException in words, when the volume is too small or not writable, or memory does not suffice
     */
    public static SlotBoard open(BoardConfig config, Consumer<SlotEvent> listener) {
        SlotBoard board = new SlotBoard(config, listener, true);
        board.thread.ifPresent(Thread::start);
        board.link.start();
        return board;
    }

    /**
     * The same without a thread of its own. One thread of the caller calls {@link #poll} and {@link #sleep} in turn,
     * and the listener is called from inside {@code poll}. A thread that waits for other things as well so learns of
     * both without a thread between.
     */
    public static SlotBoard polled(BoardConfig config, Consumer<SlotEvent> listener) {
        SlotBoard board = new SlotBoard(config, listener, false);
        board.link.start();
        return board;
    }

    private void run() {
        while (!watch.closed()) {
            if (!watch.poll()) {
                watch.sleep(Long.MAX_VALUE, () -> true);
            }
        }
    }

    /** Looks at all slots and tells the listener what happened since the last look; whether anything did. */
    public boolean poll() {
        return watch.poll();
    }

    /**
     * Sleeps until something may have happened since the last {@link #poll}, or until {@link #wake} is called. The
     * sleep takes {@code nanos} at most, and never more than 200 ms, since the slots need {@code poll} now and then.
     * While all slots are free it may be a second.
     *
     * @param stay asked when no {@code wake} is missed any more: false if the caller has something to do already
     */
    public void sleep(long nanos, BooleanSupplier stay) {
        watch.sleep(nanos, stay);
    }

    /** Ends the sleep. From any thread; costs next to nothing while nobody sleeps. */
    public void wake() {
        watch.wake();
    }

    /** The geometry it was opened with. */
    public Geometry geometry() {
        return geometry;
    }

    /** Identifies the region; a new one for each {@link BoardConfig.Start#FRESH} start. */
    public UUID regionId() {
        return control.id();
    }

    /** Whether it went on with the region of an earlier supervisor: what that one held may be found. */
    public boolean resumed() {
        return resumed;
    }

    /** Whether an agent is connected, its memory mapped, and it is not draining. */
    public boolean agentPresent() {
        return watch.agentPresent();
    }

    /**
     * Whether the slot's next task may be dispatched now although its result, a pass, is not acknowledged: the dispatch
     * acknowledges it. So the slot has its next task without a look of its executor between.
     */
    public boolean takesNext(int slot, long generation) {
        return cells.get(slot).takesNext(generation);
    }

    /**
     * Gives the task to the slot's executor. Input and header are in place before the word, the word before the wake.
     */
    public Dispatch dispatch(int slot, Assignment assignment) {
        byte[] record;
        try {
            record = record(assignment);
        } catch (InvalidAssignmentException e) {
            return new Dispatch.Invalid(e.getMessage());
        }
        if (!agentPresent()) {
            return new Dispatch.NoAgent();
        }
        return watched(cells.get(slot).dispatch(assignment, record, workerId, System.nanoTime()));
    }

    /** Whether the slot's handler takes several tasks at once; of a slot without a handler false. */
    public boolean takesBatches(int slot) {
        return cells.get(slot).takesBatches();
    }

    /**
     * Gives several calls to the slot's handler, which runs them one after the other. All have the first one's time
     * limit. As many are dispatched as fit, up to the first that cannot be; anything but {@link Dispatch.Accepted} is
     * about the first one. {@link SlotEvent.Outcomes} precedes the end.
     *
     * @param assignments 1 to 64, calls of a handler if they are several, for a slot that {@linkplain #takesBatches takes
     *     them}
     */
    public Dispatch dispatch(int slot, List<Assignment> assignments) {
        Assignment first = assignments.getFirst();
        if (assignments.size() == 1) {
            return dispatch(slot, first);
        }
        Batch.Layout layout = new Batch.Layout(geometry.inputBytes());
        try {
            for (Assignment assignment : assignments) {
                if (!layout.add(assignment, record(assignment))) {
                    break;
                }
            }
        } catch (InvalidAssignmentException e) {
            // The task is the first of another dispatch, where it is refused.
        }
        if (layout.size() < 2) {
            return dispatch(slot, first);
        }
        if (!agentPresent()) {
            return new Dispatch.NoAgent();
        }
        return watched(cells.get(slot).dispatch(layout, workerId, System.nanoTime()));
    }

    private Dispatch watched(Dispatch outcome) {
        watch.dispatched();
        return outcome;
    }

    private static byte[] record(Assignment assignment) throws InvalidAssignmentException {
        Payload payload = assignment.payload();
        Optional<String> fault = payload.locator() ? Locators.fault(payload.bytes()) : Optional.empty();
        if (fault.isPresent()) {
            throw new InvalidAssignmentException(fault.get());
        }
        return CommandCodec.encode(assignment.execution());
    }

    /**
     * Takes over a task that was {@link SlotEvent.Found}. From now on it is held as if this process had dispatched it,
     * and may be granted a later deadline. It needs no other call; its end is reported either way. Idempotent.
     *
     * @param timeLimit the task's own limit
     * @return false if the slot does not hold this generation any more, or it was called off
     */
    public boolean adopt(int slot, long generation, Optional<Duration> timeLimit) {
        return cells.get(slot).keep(generation, timeLimit);
    }

    /** The tasks that the slot was given last, by this process or the one before it; none if it never was given one. */
    public List<DispatchedTask> dispatched(int slot) {
        return cells.get(slot).dispatched();
    }

    /**
     * Calls the task off, at any stage. A task that was not started never is. The processes of a running command get
     * TERM, and KILL after the command's grace. A handler is asked to stop, and is killed and replaced if it does not.
     * {@link SlotEvent.Cancelled} follows; a result that crosses is discarded. Idempotent.
     *
     * @return false if the slot does not hold this generation any more, or its result was reported already
     */
    public boolean cancel(int slot, long generation) {
        boolean called = cells.get(slot).cancel(generation);
        if (called) {
            control.ringAgent();
            link.askToLook(slot);
        }
        return called;
    }

    /**
     * Says that the result was settled or refused: the executor cleans the slot, {@link SlotEvent.Ready} follows.
     * Idempotent.
     *
     * @return false if the slot does not hold a result of this generation
     */
    public boolean acknowledge(int slot, long generation) {
        boolean done = cells.get(slot).acknowledge(generation);
        watch.lookAgain(slot);
        return done;
    }

    /** The state of the slot's words now; without an agent, their last one. */
    public SlotView view(int slot) {
        return cells.get(slot).view();
    }

    /**
     * A snapshot of the slot, as the inspector shows it; fields may be a moment apart. Empty while its words make no
     * state, as before the first agent.
     */
    public Optional<Packet> snapshot(int slot) {
        return cells.get(slot).snapshot(System.nanoTime());
    }

    /** How far a running trial is by its own account, which is bounded by nothing; absent when it does not run. */
    public Optional<Progress> progress(int slot, long generation) {
        return cells.get(slot).progress(generation);
    }

    /** The output of a finished trial, or its locator, read once. Valid until it is acknowledged. */
    public FileRead output(SlotResult result) {
        return guarded(result, files.output(result.slot(), result.output()));
    }

    /**
     * A part of the output of a finished trial. Valid until it is acknowledged.
     *
     * @param from within the bytes that were announced, as its end is
     */
    public FileRead output(SlotResult result, long from, int length) {
        SlotOutput part = new SlotOutput(length, result.output().format(), false);
        return guarded(result, files.output(result.slot(), from, part));
    }

    /** The result of one task of a batch that ended with this result, as {@link #output(SlotResult)} has it. */
    public FileRead output(SlotResult result, Outcome outcome) {
        return guarded(result, files.output(result.slot(), outcome.outputOffset(), outcome.output()));
    }

    /** The last bytes, at most {@value Geometry#TAIL_BYTES}, of a finished trial. Valid until it is acknowledged. */
    public FileRead tail(SlotResult result, TaskStream stream) {
        long total = total(result, stream);
        return total == 0
                ? new FileRead.Content(new byte[0])
                : guarded(result, files.tail(result.slot(), stream, total));
    }

    /**
     * All of a stream of a finished trial, opened before it is acknowledged and readable after that. It is not known to be
     * what the task printed: the user's side has the file.
     *
     * @param streamKib as the {@link Command} or the {@link HandlerCall} had it
     * @return absent where the trial printed nothing, its file is not there or not whole, or the executor was replaced
     */
    public Optional<WholeStream> whole(SlotResult result, TaskStream stream, int streamKib) {
        Optional<WholeStream> opened = whole.flatMap(
                volume -> WholeStream.open(volume, result.slot(), stream, total(result, stream), streamKib));
        if (opened.isPresent() && !cells.get(result.slot()).hasResult(result.generation())) {
            opened.get().close();
            return Optional.empty();
        }
        return opened;
    }

    /**
     * The last lines that the slot's process printed while it worked at no task, and how it began and ended. The user's
     * side has the file, so the text can be anything.
     *
     * @return at most {@value Geometry#LOG_BYTES} bytes; none where nothing was printed
     */
    public byte[] log(int slot) {
        return files.log(slot);
    }

    private static long total(SlotResult result, TaskStream stream) {
        return stream == TaskStream.STDOUT ? result.stdoutBytes() : result.stderrBytes();
    }

    /** After the reading: if the executor was replaced meanwhile, what was read means nothing, and accuses nobody. */
    private FileRead guarded(SlotResult result, FileRead read) {
        boolean valid = cells.get(result.slot()).hasResult(result.generation());
        boolean blameless = read instanceof FileRead.Refused && !watch.agentConnected();
        return valid && !blameless ? read : new FileRead.Gone();
    }

    /**
     * The message about a failed trial, in at most {@code maxBytes} bytes of valid UTF-8. For a command it is its
     * last lines of stderr, else the executor's message. For a handler it is the message and the end of the traceback.
     * Valid until it is acknowledged.
     */
    public String lastWords(SlotResult result, int maxBytes) {
        return LastWords.of(
                result, maxBytes, () -> tail(result, TaskStream.STDERR), () -> tail(result, TaskStream.STDOUT));
    }

    /** Ends threads and connection. Region and tasks stay: a supervisor that resumes finds them. */
    @Override
    public void close() {
        link.close();
        watch.close();
        try {
            if (thread.isPresent()) {
                thread.get().join(CLOSE_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
