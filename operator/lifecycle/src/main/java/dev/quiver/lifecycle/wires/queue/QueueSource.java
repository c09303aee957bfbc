package dev.quiver.lifecycle.wires.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.chunks.BringingStep;
import dev.quiver.lifecycle.task.chunks.ChunkPage;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
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
 * Map-reduce jobs under granted prefixes on the workers' side: those that a pool may run are one source, {@code queue:<pool>}.
 * What a session holds stands in the own keyspace, so that a worker is replaced as with any other kind; the wire has
 * deadlines that other programs' watchdogs understand.
 */
public final class QueueSource implements SourceKind {

    /** How long a lock lasts that is not renewed; any watchdog takes the work back then. */
    public static final Duration LOCK = Duration.ofSeconds(15);

    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");
    private static final String LAST_CALL = "#";
    private static final int TASKS = 64;
    private static final int PAGE = 200;
    private static final int PAGE_BYTES = 64 * 1024;

    /** Times that a feed goes on after Redis came back with fewer chunks. */
    private static final int GAPS = 8;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final Duration lock;
    private final Predicate<String> mayUse;

    private QueueSource(RedisStore store, Keyspace keyspace, Duration lock, Predicate<String> mayUse) {
        this.store = store;
        this.keyspace = keyspace;
        this.lock = lock;
        this.mayUse = mayUse;
    }

    /** Those of one keyspace, for a process that has the rights of its tenant. */
    public static QueueSource ofWorker(RedisStore store, Keyspace keyspace, Duration lock) {
        return new QueueSource(store, keyspace, lock, _ -> true);
    }

    /**
     * Those of one keyspace, for a process with wider rights.
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
        return source.startsWith(QueueKeys.SOURCE) && POOL.matcher(pool(source)).matches();
    }

    @Override
    public String hash(String source) {
        return keys(source).source();
    }

    private QueueKeys keys(String source) {
        return new QueueKeys(SessionKeys.ofPool(keyspace, pool(source)));
    }

    private Optional<QueueGrant> grant(String source) {
        return QueueGrant.read(store, hash(source)).filter(grant -> mayUse.test(grant.prefix()));
    }

    /** Nothing once the grant is gone. */
    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return grant(source).map(grant -> new Entered(session, source, grant));
    }

    private final class Entered implements WorkSource {

        private final SessionCalls session;
        private final String source;
        private final QueueGrant grant;
        private final QueueKeys keys;

        Entered(SessionCalls session, String source, QueueGrant grant) {
            this.session = session;
            this.source = source;
            this.grant = grant;
            this.keys = new QueueKeys(session.keys());
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
                    ? new BringingStep(session, source, request, new Wire(), this::step)
                    : step(request);
            session.begin(step);
            return step;
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
                    session.executed().learned(reply.number(1));
                    from = to;
                } else if (reply.code() == ScriptCode.GAP && ++gaps <= GAPS) {
                    from = Math.toIntExact(Math.min(reply.number(1), from));
                } else if (reply.code() == ScriptCode.CLOSED || reply.code() == ScriptCode.CONDEMNED) {
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

        /** Of reduce: the results of the chunks. */
        @Override
        public RunnableTask complete(RunnableTask task, long most) {
            QueueTask reduce = (QueueTask) task;
            return reduce.with(new QueueResults(store, grant.prefix()).of(reduce.key(), most));
        }

        @Override
        public boolean attends() {
            return true;
        }

        /** Also renews the locks of all that is held, running or not. */
        @Override
        public Set<String> attend(Collection<RunningTask> running) {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    Long.toString(lock.toMillis()),
                    Long.toString(lock.toMillis() * 11 / 15),
                    grant.prefix()));
            running.forEach(task -> arguments.add(task.id()));
            ScriptReply reply = store.run(
                    QueueScripts.ATTEND,
                    QueueScripts.ATTEND.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
            return Set.copyOf(BoundedReads.texts(reply, 1));
        }
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        Optional<QueueGrant> grant = grant(source);
        if (grant.isEmpty()) {
            return List.of();
        }
        String held = new QueueKeys(session.keys()).held(session.keys().earlier());
        Map<String, String> entries = store.ask(redis -> redis.hgetall(held));
        List<Orphan> found = new ArrayList<>();
        entries.forEach((id, entry) -> {
            if (!id.equals(LAST_CALL)) {
                String retries = store.ask(redis -> redis.hget(id.substring(1), "retries"));
                found.add(new Orphan(
                        source,
                        id,
                        retries != null && retries.matches("[0-9]{1,8}") ? Integer.parseInt(retries) + 1 : 1,
                        Place.parse(entry.substring(entry.indexOf('@') + 1))));
            }
        });
        return found;
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        Optional<QueueGrant> grant = grant(source);
        if (grant.isEmpty()) {
            return List.of();
        }
        QueueKeys keys = new QueueKeys(session.keys());
        SessionCalls.Numbered answer = session.adopting(source, number -> {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    session.executed().argument(),
                    session.keys().earlier(),
                    Long.toString(number),
                    pool(source),
                    grant.get().prefix()));
            takeovers.forEach(takeover ->
                    arguments.addAll(List.of(takeover.id(), takeover.place().text())));
            return store.run(
                    QueueScripts.ADOPT,
                    QueueScripts.ADOPT.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
        });
        if (answer.reply().code() != ScriptCode.OK) {
            return List.of();
        }
        session.executed().learned(answer.reply().number(1));
        return QueueStep.claims(source, grant.get(), answer.number(), answer.reply(), 2);
    }

    /** Without a grant the locks lapse by themselves; only the session's own records are removed. */
    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        String prefix = grant(source).map(QueueGrant::prefix).orElseGet(() -> hash(source) + ":none:");
        QueueKeys keys = new QueueKeys(new SessionKeys(keyspace, pool(source), dead.session()));
        Reaper.Reaped all = Reaper.Reaped.NONE;
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return all;
            }
            reply = store.run(
                    QueueScripts.REAP,
                    QueueScripts.REAP.keys(keys::key, List.of()),
                    dead.session(),
                    Integer.toString(TASKS),
                    prefix,
                    pool(source));
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = all.plus(new Reaper.Reaped(0, Math.toIntExact(reply.number(1)), 0));
        } while (reply.number(2) == 1);
        return all;
    }

    /** Brings postponed jobs, and looks for work. */
    @Override
    public void promote(String source, CallBudget budget) {
        Optional<QueueGrant> grant = grant(source);
        if (grant.isPresent() && budget.take(1)) {
            store.run(
                    QueueScripts.TICK,
                    QueueScripts.TICK.keys(keys(source)::key, List.of()),
                    Long.toString(PAUSE.toMillis()),
                    grant.get().prefix(),
                    pool(source));
        }
    }
}
