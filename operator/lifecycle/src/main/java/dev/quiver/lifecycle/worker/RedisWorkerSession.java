package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import io.lettuce.core.KeyValue;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisLink;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.WorkerSession.HeartbeatOutcome.SetNews;

/** A session in Redis: one counter of calls, one step in flight for each set. */
final class RedisWorkerSession implements WorkerSession {

    private static final Logger LOG = LoggerFactory.getLogger(RedisWorkerSession.class);

    private static final int SETS_A_HEARTBEAT = 64;

    private final RedisStore store;
    private final SessionKeys keys;
    private final WorkerIdentity worker;
    private final LeaseTimes times;
    private final RedisLink waiting;
    private final SessionCalls calls;
    private final SourceKinds kinds;
    private final RedisReaper reaper;
    private volatile int speedMilli = WorkerState.USUAL_SPEED;
    private final SessionAdoption adoption;
    private final CountDownLatch closing = new CountDownLatch(1);

    RedisWorkerSession(
            SessionCalls calls, WorkerIdentity worker, LeaseTimes times, SourceKinds kinds, RedisReaper reaper) {
        this.store = calls.store();
        this.keys = calls.keys();
        this.worker = worker;
        this.times = times;
        this.waiting = calls.waiting();
        this.calls = calls;
        this.kinds = kinds;
        this.reaper = reaper;
        this.adoption = new SessionAdoption(calls, kinds, reaper);
    }

    @Override
    public String id() {
        return keys.session();
    }

    @Override
    public WorkerSession.PickOutcome pick(Collection<String> own, Collection<String> skipped) {
        if (own.size() > MAX_OWN || skipped.size() > MAX_SKIPPED) {
            throw new IllegalArgumentException(own.size() + " sets of its own and " + skipped.size()
                    + " to pass over, at most " + MAX_OWN + " and " + MAX_SKIPPED);
        }
        List<String> uids = List.copyOf(own);
        List<String> arguments =
                new ArrayList<>(List.of(id(), worker.poolUid(), worker.podUid(), Integer.toString(uids.size())));
        arguments.addAll(uids);
        arguments.addAll(skipped);
        ScriptReply reply = store.run(
                WorkerScripts.PICK,
                WorkerScripts.PICK.keys(keys::key, setKeys(uids)),
                arguments.toArray(String[]::new));
        return switch (reply.code()) {
            case OK -> new WorkerSession.PickOutcome.Picked(reply.text("uid"));
            case FENCED -> new WorkerSession.PickOutcome.Fenced();
            case POOL_REPLACED -> new WorkerSession.PickOutcome.PoolGone();
            case DRAINING -> new WorkerSession.PickOutcome.Draining();
            case NOTHING -> new WorkerSession.PickOutcome.Nothing();
            default -> throw reply.unexpected();
        };
    }

    @Override
    public List<Orphan> orphans() {
        return adoption.orphans();
    }

    @Override
    public List<Claim> adopt(Collection<Takeover> takeovers) {
        if (calls.stepped()) {
            throw new IllegalStateException("adopt before the first step");
        }
        return adoption.run(takeovers);
    }

    @Override
    public Optional<WorkSource> source(String id) {
        return kinds.of(id).enter(calls, id);
    }

    @Override
    public WorkerSession.HeartbeatOutcome heartbeat(Collection<String> sets, WorkerState state) {
        if (sets.size() > SETS_A_HEARTBEAT) {
            throw new IllegalArgumentException(sets.size() + " sets in a heartbeat, at most " + SETS_A_HEARTBEAT);
        }
        speedMilli = state.speedMilli();
        List<String> uids = List.copyOf(sets);
        List<String> arguments = new ArrayList<>(List.of(
                id(),
                calls.executed().argument(),
                Long.toString(times.lease().toMillis()),
                worker.poolUid(),
                worker.podUid(),
                WorkerRecordJson.write(worker, state, store.library())));
        arguments.addAll(uids);
        ScriptReply reply = store.run(
                WorkerScripts.HEARTBEAT,
                WorkerScripts.HEARTBEAT.keys(keys::key, setKeys(uids)),
                arguments.toArray(String[]::new));
        if (reply.code() == ScriptCode.FENCED) {
            return new WorkerSession.HeartbeatOutcome.Fenced();
        }
        List<String> letters = reply.texts("news");
        Map<String, SetNews> news = new LinkedHashMap<>();
        for (int i = 0; i < uids.size(); i++) {
            news.put(uids.get(i), news(letters.get(i)));
        }
        return new WorkerSession.HeartbeatOutcome.Renewed(
                news, reply.flag("draining"), reply.flag("pool_gone"), reply.flag("reap_due"), reply.count("sessions"));
    }

    private List<String> setKeys(List<String> uids) {
        return uids.stream().map(uid -> kinds.of(uid).hash(uid)).toList();
    }

    private static SetNews news(String letter) {
        return switch (letter) {
            case "r" -> SetNews.RUNNING;
            case "c" -> SetNews.CLAIMABLE;
            case "s" -> SetNews.SUSPENDED;
            case "e" -> SetNews.ENDED;
            case "g" -> SetNews.GONE;
            default -> throw new IllegalStateException("no news of a set are called " + letter);
        };
    }

    @Override
    public Optional<String> awaitWork(Duration atMost) {
        if (closing.getCount() == 0) {
            return Optional.empty();
        }
        try {
            return waiting.ask(popping(atMost));
        } catch (StoreUnreachableException e) {
            if (closing.getCount() == 0) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public Optional<SentCall<Optional<String>>> sendAwaitWork(Duration atMost) {
        return waiting.send(popping(atMost));
    }

    private Function<RedisClusterAsyncCommands<String, String>, CompletionStage<Optional<String>>> popping(
            Duration atMost) {
        Duration wait = atMost.compareTo(RedisStore.LONGEST_BLOCK) > 0 ? RedisStore.LONGEST_BLOCK : atMost;
        // Zero would block for ever.
        double seconds = Math.max(wait.toMillis(), 1) / 1000.0;
        String wake = keys.key("wake");
        return redis -> redis.blpop(seconds, wake).thenApply(RedisWorkerSession::token);
    }

    private static Optional<String> token(KeyValue<String, String> popped) {
        return popped == null ? Optional.empty() : Optional.of(popped.getValue());
    }

    @Override
    public void passOn() {
        store.run(WorkerScripts.PASS_ON, WorkerScripts.PASS_ON.keys(keys::key, List.of()));
    }

    @Override
    public void prepared(Collection<WorkerPreparation> runs) {
        List<String> arguments = new ArrayList<>(List.of(id()));
        for (WorkerPreparation run : runs) {
            arguments.add(run.run());
            arguments.add(
                    WorkerEntries.prepared(worker, run, speedMilli, calls.room().tails()));
        }
        store.run(
                WorkerScripts.PREPARED,
                WorkerScripts.PREPARED.keys(keys::key, List.of()),
                arguments.toArray(String[]::new));
    }

    @Override
    public Optional<String> containerEnd(Duration ago) {
        ScriptReply reply = store.run(
                WorkerScripts.CONTAINER_END,
                WorkerScripts.CONTAINER_END.keys(keys::key, List.of()),
                Long.toString(ago.toMillis()));
        return reply.code() == ScriptCode.NOTHING ? Optional.empty() : Optional.of(reply.text("words"));
    }

    @Override
    public void close() {
        closing.countDown();
        waiting.close();
        try {
            reaper.end(id(), true);
        } catch (StoreException e) {
            LOG.info("session {} ends with its lease: {}", id(), e.getMessage());
        }
    }
}
