package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.KeyValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.RedisLink;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;
import dev.quiver.lifecycle.StoreException;
import dev.quiver.lifecycle.StoreRefusedException;
import dev.quiver.lifecycle.StoreUnreachableException;
import dev.quiver.lifecycle.taskset.BeatOutcome.SetNews;

/** A session of the own dialect: one counter of calls, one step in flight for each set. */
final class OwnWorkSession implements WorkSession {

    private static final Logger LOG = LoggerFactory.getLogger(OwnWorkSession.class);

    private static final int SETS_A_BEAT = 64;
    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 1000;

    private final RedisStore store;
    private final ScriptKeys keys;
    private final WorkerIdentity worker;
    private final LeaseTimes times;
    private final RedisLink waiting;
    private final AtomicLong callNumbers = new AtomicLong();
    private final Map<String, OwnStepCall> inFlight = new ConcurrentHashMap<>();
    private final OwnAdoption adoption;
    private final CountDownLatch closing = new CountDownLatch(1);

    private volatile boolean stepped;

    OwnWorkSession(RedisStore store, ScriptKeys keys, WorkerIdentity worker, LeaseTimes times) {
        this.store = store;
        this.keys = keys;
        this.worker = worker;
        this.times = times;
        this.waiting = store.blocking();
        this.adoption = new OwnAdoption(store, keys, times, callNumbers);
    }

    @Override
    public String id() {
        return keys.session();
    }

    @Override
    public PickOutcome pick(Collection<String> skipped) {
        if (skipped.size() > MAX_SKIPPED) {
            throw new IllegalArgumentException(skipped.size() + " sets to pass over, at most " + MAX_SKIPPED);
        }
        List<String> arguments = new ArrayList<>(List.of(id(), worker.poolUid(), worker.podUid()));
        arguments.addAll(skipped);
        ScriptReply reply = store.run(
                TaskSetScripts.PICK, TaskSetScripts.PICK.keys(keys::key, List.of()), arguments.toArray(String[]::new));
        return switch (reply.code()) {
            case OK -> new PickOutcome.Picked(reply.text(1));
            case CONDEMNED -> new PickOutcome.Condemned();
            case POOL_REPLACED -> new PickOutcome.PoolGone();
            case DRAINING -> new PickOutcome.Draining();
            case NOTHING -> new PickOutcome.Nothing();
            default -> throw reply.unexpected();
        };
    }

    @Override
    public List<Claim> adopt(Collection<Place> found) {
        if (stepped) {
            throw new IllegalStateException("adopt before the first step");
        }
        return adoption.run(found);
    }

    @Override
    public Optional<ExecutionSpec> spec(String uid) {
        return new SpecReader(store, keys.keyspace()).read(uid);
    }

    @Override
    public StepCall prepare(String uid, List<Settlement> settlements, List<Place> places) {
        stepped = true;
        OwnStepCall call = new OwnStepCall(store, keys.withUid(uid), settlements, places, callNumbers, inFlight);
        if (inFlight.putIfAbsent(uid, call) != null) {
            throw new IllegalStateException("a step of " + uid + " has no known outcome yet: run it again first");
        }
        return call;
    }

    @Override
    public StepOutcome step(String uid, List<Settlement> settlements, List<Place> places) throws InterruptedException {
        StepCall call = prepare(uid, settlements, places);
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return call.run();
            } catch (StoreUnreachableException e) {
                LOG.debug("step of {} goes on: {}", uid, e.getMessage());
            } catch (StoreRefusedException e) {
                if (!e.passing()) {
                    throw e;
                }
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("while a step of " + uid + " had no known outcome");
            }
            if (closing.await(pause, TimeUnit.MILLISECONDS)) {
                throw new StoreUnreachableException("the session was closed", null);
            }
            pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
        }
    }

    @Override
    public Optional<StepCall> pending(String uid) {
        return Optional.ofNullable(inFlight.get(uid));
    }

    @Override
    public BeatOutcome beat(Collection<String> sets, WorkerState state) {
        if (sets.size() > SETS_A_BEAT) {
            throw new IllegalArgumentException(sets.size() + " sets in a beat, at most " + SETS_A_BEAT);
        }
        List<String> uids = List.copyOf(sets);
        List<String> setKeys =
                uids.stream().map(uid -> keys.withUid(uid).key("set")).toList();
        List<String> arguments = new ArrayList<>(List.of(
                id(),
                Long.toString(times.lease().toMillis()),
                worker.poolUid(),
                worker.podUid(),
                WorkerRecordJson.write(worker, state)));
        arguments.addAll(uids);
        ScriptReply reply = store.run(
                TaskSetScripts.BEAT, TaskSetScripts.BEAT.keys(keys::key, setKeys), arguments.toArray(String[]::new));
        if (reply.code() == ScriptCode.CONDEMNED) {
            return new BeatOutcome.Condemned();
        }
        Map<String, SetNews> news = new LinkedHashMap<>();
        for (int i = 0; i < uids.size(); i++) {
            news.put(uids.get(i), news(reply.text(5 + i)));
        }
        return new BeatOutcome.Renewed(
                news,
                reply.number(1) == 1,
                reply.number(2) == 1,
                reply.number(3) == 1,
                Math.toIntExact(reply.number(4)));
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
        Duration wait = atMost.compareTo(RedisStore.LONGEST_BLOCK) > 0 ? RedisStore.LONGEST_BLOCK : atMost;
        // Zero would block for ever.
        double seconds = Math.max(wait.toMillis(), 1) / 1000.0;
        String wake = keys.key("wake");
        try {
            return waiting.ask(redis -> redis.blpop(seconds, wake).thenApply(OwnWorkSession::token));
        } catch (StoreUnreachableException e) {
            if (closing.getCount() == 0) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static Optional<String> token(KeyValue<String, String> popped) {
        return popped == null ? Optional.empty() : Optional.of(popped.getValue());
    }

    @Override
    public void passOn() {
        store.run(TaskSetScripts.PASS_ON, TaskSetScripts.PASS_ON.keys(keys::key, List.of()));
    }

    @Override
    public void close() {
        closing.countDown();
        waiting.close();
        try {
            new OwnReaper(store, keys.keyspace(), times).end(id(), true);
        } catch (StoreException e) {
            LOG.info("session {} ends with its lease: {}", id(), e.getMessage());
        }
    }
}
