package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;
import dev.quiver.lifecycle.taskset.ExecutionSpec.TaskSource;

/** The operator's side of the own dialect: one script for each change, reads in one flush. */
final class OwnTaskSetControl implements TaskSetControl {

    private final LeaderCalls calls;
    private final RedisStore store;
    private final Keyspace keyspace;
    private final SnapshotReader snapshots;

    OwnTaskSetControl(LeaderCalls calls) {
        this.calls = calls;
        this.store = calls.store();
        this.keyspace = calls.keyspace();
        this.snapshots = new SnapshotReader(store, keyspace);
    }

    @Override
    public OpenOutcome open(TaskSetOpening opening) {
        TaskSetLimits limits = opening.limits();
        TaskSource source = opening.spec().source();
        long count = switch (source) {
            case TaskSource.Count tasks -> tasks.tasks();
            case TaskSource.Matrix matrix -> MatrixOrder.size(matrix.keys());
            case TaskSource.Items items -> 0;
            case TaskSource.Lines lines -> 0;
        };
        ScriptReply reply = calls.run(
                TaskSetScripts.OPEN,
                ScriptKeys.ofSet(keyspace, opening.pool(), opening.uid()),
                opening.uid(),
                opening.pool(),
                ExecutionSpecJson.write(opening.spec()),
                count,
                source.fed() ? 1 : 0,
                limits.maxTrials(),
                limits.maxLost(),
                limits.maxFailedTasks(),
                opening.maxWorkers(),
                limits.activeDeadline().toMillis(),
                opening.priority(),
                opening.suspended() ? 1 : 0);
        return reply.code() == ScriptCode.BURIED
                ? new OpenOutcome.Buried()
                : new OpenOutcome.Open(reply.number(1) == 1, reply.number(2), reply.number(3) == 1);
    }

    @Override
    public FeedOutcome feed(String uid, long offset, List<String> payloads, boolean last) {
        if (payloads.size() > FEED_BATCH) {
            throw new IllegalArgumentException(payloads.size() + " payloads, at most " + FEED_BATCH + " a call");
        }
        Optional<String> pool = pool(uid);
        if (pool.isEmpty()) {
            return new FeedOutcome.Gone();
        }
        List<Object> arguments = new ArrayList<>(List.of(uid, offset, last ? 1 : 0, longest(offset, payloads)));
        arguments.addAll(payloads);
        ScriptReply reply =
                calls.run(TaskSetScripts.FEED, ScriptKeys.ofSet(keyspace, pool.get(), uid), arguments.toArray());
        return switch (reply.code()) {
            case OK -> new FeedOutcome.Fed(reply.number(1));
            case GAP -> new FeedOutcome.Gap(reply.number(1));
            case CLOSED -> new FeedOutcome.Closed();
            case GONE -> new FeedOutcome.Gone();
            default -> throw reply.unexpected();
        };
    }

    private static int longest(long offset, List<String> payloads) {
        int longest = 0;
        for (int i = 0; i < payloads.size(); i++) {
            int bytes = Utf8.length(payloads.get(i));
            if (bytes == 0 || bytes > MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("payload of task " + (offset + i) + " has " + bytes + " bytes, 1 to "
                        + MAX_PAYLOAD_BYTES + " are allowed");
            }
            longest = Math.max(longest, bytes);
        }
        return longest;
    }

    @Override
    public EndOutcome end(String uid, Ending ending) {
        Optional<String> pool = pool(uid);
        if (pool.isEmpty()) {
            return new EndOutcome.Gone();
        }
        String reason = ending instanceof Ending.Fail fail ? fail.reason() : "";
        String message = ending instanceof Ending.Fail fail ? fail.message() : "";
        String what = switch (ending) {
            case Ending.Cancel cancel -> "cancel";
            case Ending.Fail fail -> "fail";
            case Ending.Expire expire -> "expire";
            case Ending.Suspend suspend -> "suspend";
            case Ending.Resume resume -> "resume";
        };
        ScriptReply reply =
                calls.run(TaskSetScripts.END, ScriptKeys.ofSet(keyspace, pool.get(), uid), uid, what, reason, message);
        return reply.code() == ScriptCode.GONE
                ? new EndOutcome.Gone()
                : new EndOutcome.Now(status(reply.text(1)), reply.number(2) == 1);
    }

    @Override
    public boolean adjust(String uid, int maxWorkers, Duration activeDeadline) {
        if (maxWorkers < 0 || activeDeadline.isNegative()) {
            throw new IllegalArgumentException(
                    "maxWorkers and activeDeadline must not be negative: " + maxWorkers + " " + activeDeadline);
        }
        Optional<String> pool = pool(uid);
        if (pool.isEmpty()) {
            return false;
        }
        ScriptReply reply = calls.run(
                TaskSetScripts.ADJUST,
                ScriptKeys.ofSet(keyspace, pool.get(), uid),
                uid,
                maxWorkers,
                activeDeadline.toMillis());
        return reply.code() == ScriptCode.OK;
    }

    @Override
    public Map<String, TaskSetSnapshot> snapshot(Collection<String> uids) {
        return snapshots.read(uids);
    }

    @Override
    public void drop(String uid) {
        ScriptKeys keys = ScriptKeys.ofSet(keyspace, pool(uid).orElse(ScriptKeys.NO_POOL), uid);
        TaskSetKeys set = new TaskSetKeys(keyspace, uid);
        ScriptReply reply;
        do {
            List<String> sessions = store.ask(redis -> redis.zrange(set.sessions(), 0, -1));
            List<String> theirKeys = new ArrayList<>();
            for (String session : sessions) {
                theirKeys.add(set.held(session));
                theirKeys.add(keyspace.session(session));
            }
            List<Object> arguments = new ArrayList<>(List.of(uid, TOMBSTONE_AGE.toMillis()));
            arguments.addAll(sessions);
            reply = calls.run(TaskSetScripts.DROP, keys, theirKeys, arguments.toArray());
        } while (reply.code() == ScriptCode.AGAIN);
    }

    @Override
    public Set<String> present() {
        return store.ask(redis -> redis.smembers(keyspace.sets()));
    }

    @Override
    public List<DirtyMark> dirty(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new IllegalArgumentException("limit must be 1 to 1000: " + limit);
        }
        return store.ask(redis -> redis.zrangeWithScores(keyspace.dirty(), 0, limit - 1L)).stream()
                .map(mark -> new DirtyMark(mark.getValue(), (long) mark.getScore()))
                .toList();
    }

    @Override
    public void clean(Collection<DirtyMark> written) {
        if (written.isEmpty()) {
            return;
        }
        Object[] marks = written.stream()
                .flatMap(mark -> Stream.of(mark.uid(), mark.change()))
                .toArray();
        calls.run(TaskSetScripts.CLEAN, ScriptKeys.ofKeyspace(keyspace), marks);
    }

    private Optional<String> pool(String uid) {
        return store.field(new TaskSetKeys(keyspace, uid).set(), "pool");
    }

    static TaskSetStatus status(String word) {
        return TaskSetStatus.valueOf(word.toUpperCase(Locale.ROOT));
    }
}
