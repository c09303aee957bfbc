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

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
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
import dev.quiver.lifecycle.task.results.TaskResults;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.work.TaskLeaf;
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

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskCommands commands;
    private final TaskResults results;

    /** The queues of one keyspace. */
    public TaskQueues(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.keys = new TaskKeys(keyspace);
        this.commands = new TaskCommands(store, keyspace);
        this.results = new TaskResults(store, keyspace);
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
        return Optional.of(new Entered(session, source));
    }

    private final class Entered implements WorkSource {

        private final SessionCalls session;
        private final String source;

        Entered(SessionCalls session, String source) {
            this.session = session;
            this.source = source;
        }

        @Override
        public String id() {
            return source;
        }

        @Override
        public List<String> handlers() {
            return List.of();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            StepCall step = BringingStep.isNeeded(request)
                    ? new BringingStep(session, source, request, new Chunked(session), this::step)
                    : step(request);
            session.begin(step);
            return step;
        }

        private StepCall step(StepRequest request) {
            return new NumberedStep(
                    session,
                    source,
                    TaskScripts.STEP,
                    TaskScripts.STEP.keys(keysOf(session.keys())::key, keys.queue(TaskKeys.poolOf(source))),
                    TaskStep.arguments(session, source, request),
                    (number, reply) -> TaskStep.read(session, source, this::run, number, reply));
        }

        private void run(List<String> left) {
            commands.run(left, new CallBudget(MOST_CALLS));
        }

        @Override
        public RunnableTask complete(RunnableTask task, long most) {
            return results.read((TaskLeaf) task, most);
        }

        @Override
        public boolean attends() {
            return true;
        }

        @Override
        public Set<String> attend(Collection<RunningTask> running) {
            List<String> arguments = new ArrayList<>();
            running.forEach(task -> arguments.addAll(List.of(task.id(), task.millionths())));
            ScriptReply reply = store.run(
                    TaskScripts.ATTEND,
                    TaskScripts.ATTEND.keys(keysOf(session.keys())::key, List.of()),
                    arguments.toArray(String[]::new));
            return Set.copyOf(BoundedReads.texts(reply, 1));
        }
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
        List<Orphan> found = new ArrayList<>();
        HeldTasks.read(store, held).forEach((id, place) -> found.add(new Orphan(source, id, trial(id), place)));
        return found;
    }

    /** The number of the run that is held; the first one of a task that is gone. */
    private int trial(String id) {
        String nodes = keys.nodes();
        String record = store.ask(redis -> redis.hget(nodes, id));
        return record == null ? 1 : NodeRecord.parse(record).trial();
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        SessionCalls.Numbered answer = session.adopting(source, number -> {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    session.executed().argument(),
                    session.keys().earlier(),
                    Long.toString(number)));
            for (Takeover takeover : takeovers) {
                arguments.add(takeover.id());
                arguments.add(takeover.place().text());
            }
            return store.run(
                    TaskScripts.ADOPT,
                    TaskScripts.ADOPT.keys(keysOf(session.keys())::key, keys.queue(TaskKeys.poolOf(source))),
                    arguments.toArray(String[]::new));
        });
        if (answer.reply().code() != ScriptCode.OK) {
            return List.of();
        }
        session.executed().learned(answer.reply().number(1));
        return TaskStep.claims(
                source,
                answer.number(),
                answer.reply(),
                3,
                Recording.known(answer.reply().text(2)));
    }

    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        TaskScriptKeys names = keysOf(new SessionKeys(keyspace, TaskKeys.poolOf(source), dead.session()));
        Reaper.Reaped all = Reaper.Reaped.NONE;
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return all;
            }
            reply = store.run(
                    TaskScripts.REAP,
                    TaskScripts.REAP.keys(names::key, keys.queue(TaskKeys.poolOf(source))),
                    dead.session(),
                    Integer.toString(TASKS));
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = all.plus(new Reaper.Reaped(0, Math.toIntExact(reply.number(1)), Math.toIntExact(reply.number(2))));
            commands.run(BoundedReads.texts(reply, 4), budget);
        } while (reply.number(3) == 1);
        return all;
    }

    /** Runs commands that are due, whatever pool they are about. */
    @Override
    public void promote(String source, CallBudget budget) {
        new DueCommands(store, keyspace, commands).run(budget);
    }
}
