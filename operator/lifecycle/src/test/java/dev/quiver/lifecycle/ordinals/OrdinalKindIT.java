package dev.quiver.lifecycle.ordinals;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.NamedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.RedisPoolControl;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceKinds;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A kind that is no TaskSet uses the same room: with names, keys and a place for its reports of its own. */
class OrdinalKindIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("other");
    private static final String SOURCE = "pages:a";
    private static final String HASH = KEYSPACE.prefix() + "book:a-pages";
    private static final String REPORTS = KEYSPACE.prefix() + "book:reports";

    private record Pages() implements OrdinalKind {

        @Override
        public String label() {
            return "Page";
        }

        @Override
        public boolean owns(String source) {
            return source.startsWith("pages:");
        }

        @Override
        public OrdinalKeys keys(String source) {
            return new OrdinalKeys(source, HASH, REPORTS, HASH + ":ends");
        }

        @Override
        public Optional<OrdinalTasks> tasks(String source) {
            return Optional.of(new PageTasks());
        }
    }

    private record PageTasks() implements OrdinalTasks {

        @Override
        public List<String> handlers() {
            return List.of();
        }

        @Override
        public Optional<Integer> batch() {
            return Optional.empty();
        }

        @Override
        public RunnableTask task(long ordinal, int trial, Optional<String> payload) {
            String name = "page " + ordinal;
            return new NamedTask(RunnableTask.id(SOURCE, name), name, trial);
        }
    }

    private RedisStore store;
    private RedisWorkerSessions work;

    @BeforeEach
    void openASourceOfSixPages() {
        store = REDIS.open();
        store.ask(redis -> redis.flushall());
        new RedisPoolControl(new LeaderCalls(store, KEYSPACE, 1)).announce("p", "pool-uid");
        Map<String, String> fields = new HashMap<>(Map.of(
                "status", "running", "pool", "p", "count", "6", "left", "6", "source_closed", "1", "priority", "0"));
        fields.put(
                "spec",
                ExecutionSpecJson.write(new ExecutionSpec(
                        "book",
                        List.of("true"),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(6))));
        List.of("max_trials", "max_lost").forEach(limit -> fields.put(limit, "3"));
        List.of(
                        "max_failed",
                        "max_workers",
                        "deadline_at",
                        "fed",
                        "cursor",
                        "running",
                        "delayed",
                        "succeeded_count",
                        "failed_count",
                        "lost_count",
                        "trials",
                        "run_ms",
                        "passed_ms",
                        "ended_samples",
                        "max_payload",
                        "ready",
                        "virtual_time")
                .forEach(counter -> fields.put(counter, "0"));
        store.ask(redis -> redis.hset(HASH, fields));
        SourceKinds kinds = new SourceKinds(List.of(new OrdinalSources(store, KEYSPACE, new Pages())));
        work = new RedisWorkerSessions(store, KEYSPACE, LeaseTimes.DEFAULT, kinds);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private WorkerSession session(Duration left) {
        WorkerSessions.Outcome outcome =
                work.open(new WorkerIdentity("p", "pool-uid", "a", "a-uid", "node-1", 8), left);
        return ((WorkerSessions.Outcome.Opened) outcome).session();
    }

    private static StepCall.Outcome.Done step(WorkerSession session, List<Claim> passed, int places) {
        List<Settlement> settled = passed.stream()
                .<Settlement>map(claim -> new Settlement.Passed(claim, Duration.ofMillis(1)))
                .toList();
        List<Place> free =
                IntStream.range(0, places).mapToObj(i -> Place.slot(i, 1)).toList();
        return (StepCall.Outcome.Done) session.source(SOURCE)
                .orElseThrow()
                .prepare(new StepRequest(settled, free, List.of()))
                .run();
    }

    @Test
    void endsUnderItsOwnKeysAndReportsWhereItWasTold() {
        try (WorkerSession session = session(Duration.ZERO)) {
            List<Claim> claims = step(session, List.of(), 6).claims();
            assertThat(claims).extracting(claim -> claim.task().name()).startsWith("page 0", "page 1");
            assertThat(step(session, claims, 0).status()).isEqualTo(SourceStatus.OVER);
        }
        List<String> reports = store.ask(redis -> redis.zrange(REPORTS, 0, -1));
        assertThat(reports).containsExactly(SOURCE);
        List<String> keys = store.ask(redis -> redis.keys("*"));
        assertThat(keys).contains(HASH).doesNotContain(KEYSPACE.dirty()).noneMatch(key -> key.contains("taskset:"));
    }

    @Test
    void isAdoptedAndTakenBackLikeASet() {
        WorkerSession first = session(Duration.ZERO);
        List<Claim> claims = step(first, List.of(), 4).claims();
        try (WorkerSession next = session(Duration.ofSeconds(5))) {
            List<Takeover> running = next.orphans().stream()
                    .filter(orphan -> orphan.id().equals("0"))
                    .map(orphan -> Takeover.running(orphan, 3, 1))
                    .toList();
            List<Claim> adopted = next.adopt(running);
            assertThat(adopted).extracting(claim -> claim.task().name()).containsExactly("page 0");
            assertThat(store.<String>ask(
                            redis -> redis.llen(HASH + ":task_queue").thenApply(String::valueOf)))
                    .isEqualTo("" + (claims.size() - adopted.size()));
            List<Claim> rest = step(next, adopted, 8).claims();
            assertThat(rest).hasSize(5);
            assertThat(step(next, rest, 0).status()).isEqualTo(SourceStatus.OVER);
        }
        first.close();
    }
}
