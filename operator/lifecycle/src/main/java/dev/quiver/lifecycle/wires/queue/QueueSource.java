package dev.quiver.lifecycle.wires.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.chunks.BringingStep;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.wires.WireFrame;
import dev.quiver.lifecycle.worker.AttendedSource;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
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
 * Map-reduce jobs under granted prefixes on the workers' side: those that a pool may run are one source,
 * {@code queue:<pool>}. The tasks that a session holds are noted in the own keyspace, so that a worker is replaced as
 * with any other kind. The wire has deadlines that other programs' watchdogs understand.
 */
public final class QueueSource implements SourceKind {

    /** How long a lock lasts that is not renewed; any watchdog takes the work back then. */
    public static final Duration LOCK = WireFrame.LOCK;

    private static final WireFrame.Wire WIRE = new WireFrame.Wire(
            QueueKeys.SOURCE,
            QueueScripts.ADOPT,
            QueueScripts.ATTEND,
            QueueScripts.REAP,
            (session, name) -> new QueueKeys(session).key(name),
            List::of);

    private static final int PAGE = 200;
    private static final int PAGE_BYTES = 64 * 1024;

    /** Times that a feed goes on after Redis came back with fewer chunks. */
    private static final int GAPS = 8;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final WireFrame frame;
    private final Duration lock;
    private final Predicate<String> mayUse;

    private QueueSource(RedisStore store, Keyspace keyspace, Duration lock, Predicate<String> mayUse) {
        this.store = store;
        this.keyspace = keyspace;
        this.frame = new WireFrame(store, keyspace, WIRE);
        this.lock = lock;
        this.mayUse = mayUse;
    }

    /** The sources of one keyspace, for a process that has the rights of its tenant. */
    public static QueueSource ofWorker(RedisStore store, Keyspace keyspace, Duration lock) {
        return new QueueSource(store, keyspace, lock, _ -> true);
    }

    /**
     * The sources of one keyspace, for a process with wider rights.
     *
     * @param granted whether a prefix that stands in the keyspace is one that its tenant may use
     */
    public static QueueSource ofUpkeep(RedisStore store, Keyspace keyspace, Predicate<String> granted) {
        return new QueueSource(store, keyspace, LOCK, granted);
    }

    /** The source of the jobs that a pool may run. */
    public static String source(String pool) {
        return QueueKeys.SOURCE + pool;
    }

    static String pool(String source) {
        return source.substring(QueueKeys.SOURCE.length());
    }

    @Override
    public boolean owns(String source) {
        return frame.owns(source);
    }

    @Override
    public String hash(String source) {
        return frame.hash(source);
    }

    private QueueKeys keys(String source) {
        return new QueueKeys(SessionKeys.ofPool(keyspace, pool(source)));
    }

    private Optional<QueueGrant> grant(String source) {
        return QueueGrant.read(store, hash(source)).filter(grant -> mayUse.test(grant.prefix()));
    }

    /** Absent once the grant is gone. */
    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return grant(source).map(grant -> {
            Jobs jobs = new Jobs(session, source, grant);
            return new AttendedSource(session, source, jobs::prepare, jobs::attend, jobs::complete);
        });
    }

    /** The jobs of a grant, as one session works at them. */
    private final class Jobs {

        private final SessionCalls session;
        private final String source;
        private final QueueGrant grant;
        private final QueueKeys keys;

        Jobs(SessionCalls session, String source, QueueGrant grant) {
            this.session = session;
            this.source = source;
            this.grant = grant;
            this.keys = new QueueKeys(session.keys());
        }

        StepCall prepare(StepRequest request) {
            return BringingStep.isNeeded(request)
                    ? new BringingStep(session, source, request, new Wire(), this::step)
                    : step(request);
        }

        private StepCall step(StepRequest request) {
            return new NumberedStep(
                    session,
                    source,
                    QueueScripts.STEP,
                    QueueScripts.STEP.keys(keys::key, List.of()),
                    QueueStep.arguments(session.keys().session(), source, grant, lock.toMillis(), request),
                    (number, reply) -> QueueStep.read(session, source, grant, number, reply));
        }

        /** Chunks go to the wire. */
        private final class Wire implements BringingStep.Feed {

            @Override
            public void bring(Claim map, ChunkPage all) {
                feed(map, all);
            }

            /** The wire knows trials alone: this one has failed, and its chunks go. */
            @Override
            public Settlement refused(Settlement.Passed passed, ChunkPage page) {
                return BringingStep.failed(
                        passed,
                        "OutOfMemory",
                        "Redis has no memory for the " + page.chunks().size() + " chunks",
                        Retry.AT_ONCE);
            }
        }

        /** Once the map is not this session's any more, the rest is left out. */
        private void feed(Claim map, ChunkPage all) {
            List<String> chunks = all.chunks();
            if (chunks.stream().anyMatch(BinaryText::is)) {
                throw new IllegalArgumentException(
                        "the chunks are an Arrow stream; jobs under a granted prefix have chunks in JSON");
            }
            int from = 0;
            int gaps = 0;
            do {
                int to = page(chunks, from);
                ScriptReply reply = feed(map, chunks.subList(from, to), from);
                if (reply.code() == ScriptCode.OK) {
                    session.executed().learned(reply.number("executed"));
                    from = to;
                } else if (reply.code() == ScriptCode.GAP && ++gaps <= GAPS) {
                    from = Math.toIntExact(Math.min(reply.number("known"), from));
                } else if (reply.code() == ScriptCode.CLOSED || reply.code() == ScriptCode.FENCED) {
                    return;
                } else if (reply.code() == ScriptCode.GAP) {
                    throw new StoreRefusedException(
                            StoreRefusedException.Kind.PASSING, "Redis forgets the chunks of " + map.id(), null);
                } else {
                    throw reply.unexpected();
                }
            } while (from < chunks.size());
        }

        private ScriptReply feed(Claim map, List<String> page, int from) {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    session.executed().argument(),
                    map.id(),
                    Long.toString(map.fence()),
                    Integer.toString(from),
                    grant.prefix()));
            arguments.addAll(page);
            return store.run(
                    QueueScripts.FEED, QueueScripts.FEED.keys(keys::key, List.of()), arguments.toArray(String[]::new));
        }

        private static int page(List<String> chunks, int from) {
            int to = from;
            int bytes = 0;
            while (to < chunks.size() && to - from < PAGE) {
                bytes += Utf8.length(chunks.get(to));
                if (to > from && bytes > PAGE_BYTES) {
                    break;
                }
                to++;
            }
            return to;
        }

        /** Completes a reduce with the results of the chunks. */
        RunnableTask complete(RunnableTask task, long most) {
            QueueTask reduce = (QueueTask) task;
            return reduce.with(new QueueResults(store, grant.prefix()).of(reduce.key(), most));
        }

        /** Also renews the locks of all that is held, running or not. */
        Set<String> attend(Collection<RunningTask> running) {
            return frame.attend(
                    session.keys(),
                    lock,
                    grant.prefix(),
                    running.stream().map(RunningTask::id).toList());
        }
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        return grant(source).isEmpty() ? List.of() : frame.orphans(session, source, this::trial);
    }

    /** The id of what is held is a letter and the key of the job or chunk. */
    private int trial(String id) {
        return frame.number(id.substring(1), "retries").orElse(0) + 1;
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        return grant(source)
                .flatMap(grant -> frame.adopt(session, source, grant.prefix(), takeovers)
                        .map(answer -> QueueStep.claims(source, grant, answer.number(), answer.reply())))
                .orElse(List.of());
    }

    /** Without a grant the locks lapse by themselves; only the session's own records are removed. */
    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        return frame.reap(dead, source, grant(source).map(QueueGrant::prefix), budget);
    }

    /** Brings postponed jobs, and looks for work. */
    @Override
    public void promote(String source, CallBudget budget) {
        Optional<QueueGrant> grant = grant(source);
        if (grant.isPresent() && budget.take(1)) {
            store.run(
                    QueueScripts.TICK,
                    QueueScripts.TICK.keys(keys(source)::key, List.of()),
                    Long.toString(WireFrame.PAUSE.toMillis()),
                    grant.get().prefix(),
                    pool(source));
        }
    }
}
