package dev.quiver.bench.scheduling;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.commands.DueCommands;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.scheduling.Boosts;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;

/**
 * A pool's Tasks in a namespace of their own: a program that makes them, and a session that works at them without a worker.
 * One thread makes tasks and boosts, one other steps.
 */
final class PoolWork implements Closeable {

    private static final String POOL = "order";
    private static final int SUBMISSION = 400;
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);
    private static final Duration RUN_TIME = Duration.ofMillis(1);
    private static final Optional<Duration> FOR_GOOD = Optional.empty();

    private final Headquarters headquarters;
    private final RedisStore programs;
    private final RedisStore workers;
    private final Keyspace keyspace;
    private final WorkerSession session;
    private final WorkSource source;
    private final Boosts boosts;
    private long heartbeatAt = System.nanoTime();
    private long generation;

    /** A pool of a namespace. */
    PoolWork(int redisPort, String namespace) {
        keyspace = Keyspace.ofNamespace(namespace);
        headquarters = new Headquarters(redisPort, namespace);
        programs = Headquarters.connected(redisPort, "order-programs");
        workers = Headquarters.connected(redisPort, "order-workers");
        WorkerIdentity pod = new WorkerIdentity(
                POOL,
                headquarters.announce(POOL),
                POOL + "-0",
                UUID.randomUUID().toString(),
                "here",
                64);
        WorkerSessions.Outcome outcome =
                new Lifecycle(workers).sessions(keyspace).open(pod);
        if (!(outcome instanceof WorkerSessions.Outcome.Opened opened)) {
            throw new IllegalStateException("no session of " + namespace);
        }
        session = opened.session();
        source = session.source(TaskQueues.source(POOL)).orElseThrow();
        boosts = new Boosts(programs, keyspace);
    }

    /** Makes single tasks with these ranks, that begin at once, and leave nothing when they end; returns their ids. */
    List<String> make(int tasks, IntFunction<Rank> rank) {
        List<String> ids = new ArrayList<>();
        for (int from = 0; from < tasks; from += SUBMISSION) {
            List<TreeNode> some = IntStream.range(from, Math.min(tasks, from + SUBMISSION))
                    .mapToObj(rank)
                    .map(PoolWork::leaf)
                    .toList();
            ids.addAll(headquarters.plant(some, Duration.ZERO));
        }
        return ids;
    }

    private static TreeNode leaf(Rank rank) {
        TaskBody body = new TaskBody(
                "leaf", Optional.of(Headquarters.NOOP), List.of(), Map.of(), Optional.empty(), RetryBackoff.NONE);
        return new TreeNode.Leaf(POOL, Optional.empty(), 1, 1, rank, body);
    }

    /** Replaces the boosts of one owner. */
    void boost(Map<String, Integer> all) {
        boosts.replace(POOL, "bench", all, FOR_GOOD);
    }

    /** Runs what boosts have left, until nothing is left. */
    void settle() {
        String commands = keyspace.commands();
        DueCommands due = new DueCommands(programs, keyspace, new TaskCommands(programs, keyspace));
        do {
            due.run(new CallBudget(1000));
        } while (programs.ask(redis -> redis.zcard(commands)) > 0);
    }

    /** Lets the keys of fairness take turns. */
    void takeTurns() {
        new Lifecycle(programs)
                .order(keyspace, 1)
                .arrange(POOL, new PoolOrder.Wishes(Map.of(), 0, Optional.of(Map.of())));
    }

    /** Lets so many tasks at a time run with these resources, or with each name of a pattern. */
    void count(Map<String, Integer> permits) {
        Map<String, PoolOrder.Declared> all = new HashMap<>();
        permits.forEach((name, most) ->
                all.put(name, new PoolOrder.Declared(true, Optional.of(most), Optional.empty(), false, false)));
        new Lifecycle(programs)
                .order(keyspace, 1)
                .arrange(POOL, new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), all, Map.of()));
    }

    /** Declares a resource that is there, or is not. */
    void declare(String resource, boolean there) {
        new Lifecycle(programs)
                .order(keyspace, 1)
                .arrange(
                        POOL,
                        new PoolOrder.Wishes(
                                Map.of(),
                                0,
                                Optional.empty(),
                                Map.of(
                                        resource,
                                        new PoolOrder.Declared(
                                                there, Optional.empty(), Optional.empty(), false, false)),
                                Map.of()));
    }

    /** Settles what is given as passed, and claims so many; returns those that came. */
    List<Claim> step(List<Claim> passed, int wanted) {
        if (System.nanoTime() - heartbeatAt > HEARTBEAT.toNanos()) {
            session.heartbeat(Collections.singletonList(source.id()), WorkerState.of(wanted, false));
            heartbeatAt = System.nanoTime();
        }
        generation++;
        List<Settlement> settlements = new ArrayList<>(passed.size());
        passed.forEach(claim -> settlements.add(passed(claim)));
        List<Place> places = IntStream.range(0, wanted)
                .mapToObj(slot -> Place.slot(slot, generation))
                .toList();
        StepCall call = source.prepare(new StepRequest(settlements, places, List.of()));
        if (call.run() instanceof StepCall.Outcome.Done done) {
            return done.claims();
        }
        throw new IllegalStateException("the session of the benchmark is fenced");
    }

    private static Settlement passed(Claim claim) {
        return new Settlement.Passed(
                claim,
                RUN_TIME,
                Optional.empty(),
                Optional.empty(),
                new TrialFacts(claim.place().slot(), System.nanoTime(), Optional.empty()));
    }

    @Override
    public void close() {
        session.close();
        workers.close();
        programs.close();
        headquarters.close();
    }
}
