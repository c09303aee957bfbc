package dev.quiver.lifecycle.task.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.chunks.BringingStep;
import dev.quiver.lifecycle.task.chunks.ChunkFeed;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.task.chunks.MemoryRefusal;
import dev.quiver.lifecycle.task.commands.DueCommands;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.results.ComplexStates;
import dev.quiver.lifecycle.task.results.TaskResults;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.AttendedSource;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.HeldTasks;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceKind;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * The queues of pools' Tasks on the workers' side. The Tasks of a pool are one source, {@code tasks:<pool>}. A source
 * without a pool stands for the keyspace's timers, and only among those with delayed tasks.
 */
public final class TaskQueues implements SourceKind {

    /** Calls for the commands that a step leaves; the tick does the others. */
    private static final int MOST_CALLS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(TaskQueues.class);

    private static final int TASKS = 64;

    /** Bytes of a node's record at most. */
    private static final int RECORD_BYTES = 4096;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskCommands commands;
    private final TaskResults results;
    private final ComplexStates states;

    /** The queues of one keyspace. */
    public TaskQueues(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.keys = new TaskKeys(keyspace);
        this.commands = new TaskCommands(store, keyspace);
        this.results = new TaskResults(store, keyspace);
        this.states = new ComplexStates(store, keyspace);
    }

    /** The source of a pool's Tasks. */
    public static String source(String pool) {
        return TaskKeys.SOURCE + pool;
    }

    /** Whether the source is the timers, or the queue of a pool whose name is valid. */
    @Override
    public boolean owns(String source) {
        return source.startsWith(TaskKeys.SOURCE)
                && (source.equals(TaskKeys.SOURCE) || TaskKeys.isPool(TaskKeys.poolOf(source)));
    }

    @Override
    public String hash(String source) {
        return keys.hash(TaskKeys.poolOf(source));
    }

    /** The source is there, whatever waits in it. */
    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return Optional.of(new AttendedSource(
                session,
                source,
                request -> BringingStep.isNeeded(request)
                        ? new BringingStep(
                                session, source, request, new Chunked(session), plain -> step(session, source, plain))
                        : step(session, source, request),
                running -> attend(session, source, running),
                (task, most) -> states.read(results.read((TaskLeaf) task, most), most)));
    }

    private StepCall step(SessionCalls session, String source, StepRequest request) {
        return new NumberedStep(
                session,
                source,
                TaskScripts.STEP,
                TaskScripts.STEP.keys(keysOf(session.keys())::key, keys.queue(TaskKeys.poolOf(source))),
                TaskStep.arguments(session, source, request),
                (number, reply) -> TaskStep.read(
                        session, source, left -> commands.run(left, new CallBudget(MOST_CALLS)), number, reply));
    }

    private Set<String> attend(SessionCalls session, String source, Collection<RunningTask> running) {
        List<String> arguments = new ArrayList<>();
        running.forEach(task -> arguments.addAll(List.of(task.id(), task.millionths())));
        ScriptReply reply = store.run(
                TaskScripts.ATTEND,
                TaskScripts.ATTEND.keys(keysOf(session.keys())::key, keys.queue(TaskKeys.poolOf(source))),
                arguments.toArray(String[]::new));
        return Set.copyOf(reply.texts("stopped"));
    }

    /** Chunks go to the node behind the task. */
    private final class Chunked implements BringingStep.Feed {

        private final SessionCalls session;

        Chunked(SessionCalls session) {
            this.session = session;
        }

        private ChunkFeed feed(Claim claim) {
            return new ChunkFeed(store, keyspace, TaskKeys.following(claim.id()));
        }

        @Override
        public void bring(Claim claim, ChunkPage page) {
            feed(claim).bring(page, Optional.of(new ChunkFeed.Feeder(session, claim)));
        }

        @Override
        public Settlement refused(Settlement.Passed passed, ChunkPage page) {
            Claim claim = passed.claim();
            long bytes = page.chunks().stream().mapToLong(Utf8::length).sum();
            Optional<MemoryRefusal> refusal = feed(claim)
                    .discard(
                            page,
                            Optional.of(new ChunkFeed.Feeder(session, claim)),
                            "Redis has no memory for " + page.chunks().size() + " chunks of " + bytes
                                    + " bytes; the task that brings them waits and runs again");
            if (refusal.filter(MemoryRefusal::isFinal).isPresent()) {
                return BringingStep.failed(
                        passed, "OutOfMemory", refusal.get().words(page.chunks().size(), bytes), Retry.NEVER);
            }
            Duration pause =
                    refusal.map(no -> no.pause(ThreadLocalRandom.current())).orElse(Duration.ZERO);
            LOG.info("task {} waits {} for memory of Redis: {}", claim.id(), pause, refusal);
            return new Settlement.Returned(claim, Optional.empty(), pause);
        }
    }

    private static TaskScriptKeys keysOf(SessionKeys session) {
        return new TaskScriptKeys(session, "");
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        String held = keys.held(TaskKeys.poolOf(source), session.keys().earlier());
        return HeldTasks.orphans(store, source, held, keys.nodes(), RECORD_BYTES, TaskQueues::trial);
    }

    /** The number of the run that is held; the first one of a task that is gone. */
    private static int trial(Optional<String> record) {
        return record.map(NodeRecord::parse).map(NodeRecord::trial).orElse(1);
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        return session.takeOver(
                        source,
                        TaskScripts.ADOPT,
                        TaskScripts.ADOPT.keys(keysOf(session.keys())::key, keys.queue(TaskKeys.poolOf(source))),
                        List::of,
                        takeovers)
                .map(answer -> TaskStep.claims(source, answer.number(), answer.reply()))
                .orElse(List.of());
    }

    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        TaskScriptKeys names = keysOf(new SessionKeys(keyspace, TaskKeys.poolOf(source), dead.session()));
        return HeldTasks.takeBack(
                budget,
                () -> store.run(
                        TaskScripts.REAP,
                        TaskScripts.REAP.keys(names::key, keys.queue(TaskKeys.poolOf(source))),
                        dead.session(),
                        Integer.toString(TASKS)),
                reply -> {
                    commands.run(reply.texts("commands"), budget);
                    return new Reaper.Reaped(0, reply.count("requeued"), reply.count("ended"));
                });
    }

    /** Runs commands that are due, whatever pool they are about. */
    @Override
    public void promote(String source, CallBudget budget) {
        new DueCommands(store, keyspace, commands).run(budget);
    }
}
