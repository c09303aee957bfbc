package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceScripts;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.ExecutionSpecJson;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.ordinals.OrdinalRemoval;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.SessionKeys;

/** The operator's side of TaskSets in Redis: one script for each change, reads in one flush. */
public final class RedisTaskSetControl implements TaskSetControl {

    private static final int MOST_PRESENT = 100_000;
    private static final int POOLS_KNOWN = 4096;

    /** Tasks that wait are noted so many at a call, which takes Redis less than a millisecond. */
    private static final int NOTED_AT_ONCE = 1000;

    /** Bytes of an order at a call. */
    private static final int ORDER_AT_ONCE = 256 << 10;

    /** So many tasks share an entry. */
    private static final int NOTED_TOGETHER = 48;

    /** No set has more tasks than these calls note. */
    private static final int NOTED_ROUNDS = 2000;

    private final LeaderCalls calls;
    private final RedisStore store;
    private final Keyspace keyspace;
    private final BoundedReads reads;
    private final SnapshotReader snapshots;
    /** By uid, of sets that are fed: a set never changes its pool, and to ask for it is a round trip of each feed. */
    private final Map<String, String> pools = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > POOLS_KNOWN;
        }
    });

    public RedisTaskSetControl(LeaderCalls calls) {
        this.calls = calls;
        this.store = calls.store();
        this.keyspace = calls.keyspace();
        this.reads = new BoundedReads(store);
        this.snapshots = new SnapshotReader(store, keyspace);
    }

    @Override
    public TaskSetControl.OpenOutcome open(TaskSetOpening opening) {
        TaskSetLimits limits = opening.limits();
        Optional<ClaimOrder> order = opening.order().filter(its -> write(opening.uid(), opening.pool(), its));
        TaskSource source = opening.spec().source();
        ScriptReply reply = calls.run(
                TaskSetScripts.OPEN,
                TaskSetScriptKeys.ofPool(keyspace, opening.pool(), opening.uid())::key,
                opening.uid(),
                opening.pool(),
                spec(opening, order.isPresent()),
                source.tasks(),
                source.fed() ? 1 : 0,
                limits.maxTrials(),
                limits.maxLost(),
                limits.maxFailedTasks(),
                opening.maxWorkers(),
                limits.maxParallelTasks(),
                limits.activeDeadline().toMillis(),
                opening.priority(),
                opening.suspended() ? 1 : 0,
                opening.gated() ? 1 : 0,
                opening.record().filter(RunRecord::waits).isPresent() ? 1 : 0,
                opening.spec().handler().orElse(""),
                opening.sourceHash(),
                order.map(ClaimOrder::tasks).orElse(0),
                order.map(ClaimOrder::millis).orElse(0L),
                order.map(ClaimOrder::errorPercent).orElse(OptionalInt.empty()).stream()
                        .mapToObj(Integer::toString)
                        .findFirst()
                        .orElse(""),
                opening.spec().speculates() ? 1 : 0,
                opening.record().map(RunRecord::argument).orElse(""));
        return reply.code() == ScriptCode.BURIED
                ? new TaskSetControl.OpenOutcome.Buried()
                : new TaskSetControl.OpenOutcome.Open(
                        reply.flag("created"), reply.number("tasks"), reply.flag("closed"));
    }

    private static String spec(TaskSetOpening opening, boolean ordered) {
        if (TaskSetKeys.isListing(opening.uid())) {
            return ExecutionSpecJson.writeListing(opening.spec());
        }
        return ordered ? ExecutionSpecJson.writeOrdered(opening.spec()) : ExecutionSpecJson.write(opening.spec());
    }

    /** Whether the whole order is there now; of a set that is open or was dropped it is not written. */
    private boolean write(String uid, String pool, ClaimOrder order) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.ofPool(keyspace, pool, uid);
        for (int at = 0; at < order.size(); at += ORDER_AT_ONCE) {
            ScriptReply reply = calls.run(
                    TaskSetScripts.ORDER, keys::key, uid, at, BinaryText.marked(order.part(at, ORDER_AT_ONCE)));
            if (reply.code() != ScriptCode.OK) {
                return false;
            }
        }
        return true;
    }

    @Override
    public OrdinalFeed.Outcome feed(
            String uid, long offset, List<String> payloads, boolean last, Optional<RunNames> names) {
        Optional<String> pool = Optional.ofNullable(pools.get(uid)).or(() -> pool(uid));
        if (pool.isEmpty()) {
            return new OrdinalFeed.Outcome.Gone();
        }
        OrdinalFeed.Outcome outcome = new OrdinalFeed(calls)
                .append(new TaskSetKeys(keyspace, uid).source(), pool.get(), offset, payloads, last, names);
        if (last || outcome instanceof OrdinalFeed.Outcome.Gone) {
            pools.remove(uid);
        } else {
            pools.put(uid, pool.get());
        }
        return outcome;
    }

    @Override
    public void name(String uid, RunNames names) {
        new OrdinalFeed(calls).name(new TaskSetKeys(keyspace, uid).source(), names);
    }

    @Override
    public StatusChange.Outcome changeStatus(String uid, StatusChange change) {
        Optional<String> pool = pool(uid);
        if (pool.isEmpty()) {
            return new StatusChange.Outcome.Gone();
        }
        String reason = change instanceof StatusChange.Fail fail ? fail.reason() : "";
        String message = change instanceof StatusChange.Fail fail ? fail.message() : "";
        String what = switch (change) {
            case StatusChange.Cancel cancel -> "cancel";
            case StatusChange.Fail fail -> "fail";
            case StatusChange.Expire expire -> "expire";
            case StatusChange.Suspend suspend -> "suspend";
            case StatusChange.Resume resume -> "resume";
        };
        ScriptReply reply = calls.run(
                TaskSetScripts.CHANGE_STATUS,
                TaskSetScriptKeys.ofPool(keyspace, pool.get(), uid)::key,
                uid,
                what,
                reason,
                message);
        return reply.code() == ScriptCode.GONE
                ? new StatusChange.Outcome.Gone()
                : BoundedReads.understood(
                        new TaskSetKeys(keyspace, uid).set(),
                        () -> new StatusChange.Outcome.Now(status(reply.text("status")), reply.flag("changed")));
    }

    @Override
    public boolean adjust(String uid, int maxWorkers, int maxParallelTasks, Duration activeDeadline) {
        if (maxWorkers < 0 || maxParallelTasks < 0 || activeDeadline.isNegative()) {
            throw new IllegalArgumentException("maxWorkers, maxParallelTasks and activeDeadline must not be negative: "
                    + maxWorkers + " " + maxParallelTasks + " " + activeDeadline);
        }
        Optional<String> pool = pool(uid);
        if (pool.isEmpty()) {
            return false;
        }
        ScriptReply reply = calls.run(
                TaskSetScripts.ADJUST,
                TaskSetScriptKeys.ofPool(keyspace, pool.get(), uid)::key,
                uid,
                maxWorkers,
                maxParallelTasks,
                activeDeadline.toMillis());
        return reply.code() == ScriptCode.OK;
    }

    @Override
    public Map<String, TaskSetSnapshot> snapshot(Collection<String> uids) {
        return snapshots.read(uids);
    }

    @Override
    public void drop(String uid) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.ofPool(keyspace, pool(uid).orElse(SessionKeys.NO_POOL), uid);
        new OrdinalRemoval(store, keyspace).remove(keys.set().source(), (theirKeys, sessions) -> {
            List<Object> arguments =
                    new ArrayList<>(List.of(uid, TOMBSTONE_AGE.toMillis(), RedisWorkerSessions.MOST_SESSIONS));
            arguments.addAll(sessions);
            return calls.run(TaskSetScripts.DROP, keys::key, theirKeys, arguments.toArray());
        });
    }

    @Override
    public UnpassedTasks unpassed(String uid) {
        for (int round = 0; round < NOTED_ROUNDS; round++) {
            ScriptReply reply = calls.run(
                    TaskSetScripts.UNPASSED,
                    TaskSetScriptKeys.ofPool(keyspace, SessionKeys.NO_POOL, uid)::key,
                    NOTED_AT_ONCE);
            switch (reply.code()) {
                case AGAIN -> {
                    // The next call notes more of those that wait.
                }
                case NOTHING -> {
                    return new UnpassedTasks.GoesOn();
                }
                case GONE -> {
                    return new UnpassedTasks.Unknown();
                }
                default -> {
                    return BoundedReads.understood(new TaskSetKeys(keyspace, uid).set(), () -> unpassed(reply));
                }
            }
        }
        return new UnpassedTasks.Unknown();
    }

    private static UnpassedTasks unpassed(ScriptReply reply) {
        BitSet bits = new BitSet();
        for (ScriptReply.Row word : reply.rows("words")) {
            int first = Integer.parseInt(word.text("at")) * NOTED_TOGETHER;
            BitSet.valueOf(new long[] {Long.parseLong(word.text("bits"))}).stream()
                    .limit(NOTED_TOGETHER)
                    .forEach(bit -> bits.set(first + bit));
        }
        long unknown = reply.number("given") - bits.cardinality();
        if (unknown > 0 && reply.number("workers") > 0) {
            return new UnpassedTasks.Held(unknown);
        }
        return unknown == 0 ? new UnpassedTasks.Known(bits, reply.number("cursor")) : new UnpassedTasks.Unknown();
    }

    @Override
    public Optional<String> page(String uid, int page) {
        ScriptReply reply = store.run(
                TaskSetScripts.PAGE, new String[] {new TaskSetKeys(keyspace, uid).pages()}, Integer.toString(page));
        return reply.code() == ScriptCode.NOTHING ? Optional.empty() : Optional.of(reply.text("text"));
    }

    @Override
    public Set<String> present() {
        ScriptReply reply =
                store.run(KeyspaceScripts.PRESENT, new String[] {keyspace.sets()}, Integer.toString(MOST_PRESENT));
        Set<String> uids = new LinkedHashSet<>();
        reply.texts("uids").stream().filter(TaskSetKeys::isUid).forEach(uids::add);
        return uids;
    }

    @Override
    public List<DirtyMark> dirty(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit must be 1 to 1000: " + limit);
        }
        ScriptReply reply = store.run(KeyspaceScripts.MARKS, new String[] {keyspace.dirty()}, Integer.toString(limit));
        return BoundedReads.understood(keyspace.dirty(), () -> {
            List<DirtyMark> marks = new ArrayList<>();
            for (ScriptReply.Row mark : reply.rows("marks")) {
                marks.add(new DirtyMark(mark.text("uid"), (long) Double.parseDouble(mark.text("change"))));
            }
            return List.copyOf(marks);
        });
    }

    @Override
    public Set<String> ended(Collection<String> uids) {
        List<String> asked = uids.stream().limit(MOST_PRESENT).toList();
        Set<String> ended = new LinkedHashSet<>();
        if (asked.isEmpty()) {
            return ended;
        }
        String[] keys =
                asked.stream().map(uid -> new TaskSetKeys(keyspace, uid).set()).toArray(String[]::new);
        List<Long> over = store.run(OrdinalScripts.ENDED, keys).numbers("ended");
        for (int i = 0; i < asked.size(); i++) {
            if (over.get(i) == 1) {
                ended.add(asked.get(i));
            }
        }
        return ended;
    }

    @Override
    public void clean(Collection<DirtyMark> written) {
        if (written.isEmpty()) {
            return;
        }
        Object[] marks = written.stream()
                .flatMap(mark -> Stream.of(mark.uid(), mark.change()))
                .toArray();
        calls.run(KeyspaceScripts.CLEAN, keyspace::key, marks);
    }

    private Optional<String> pool(String uid) {
        return reads.pool(new TaskSetKeys(keyspace, uid).set());
    }

    static TaskSetState status(String word) {
        return TaskSetState.valueOf(word.toUpperCase(Locale.ROOT));
    }
}
