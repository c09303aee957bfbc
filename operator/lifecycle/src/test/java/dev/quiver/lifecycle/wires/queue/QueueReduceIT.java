package dev.quiver.lifecycle.wires.queue;

import static dev.quiver.lifecycle.wires.queue.QueueWorld.SUM;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.failed;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall.Verdict;

/** The reduces of jobs: those that fail, and those whose lock another program put anew. */
class QueueReduceIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private QueueWorld world;
    private QueueWorld.Worker worker;

    @BeforeEach
    void begin() {
        world = new QueueWorld(REDIS);
        worker = world.worker(SUM);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private String hash(String key, String field) {
        return world.store.ask(redis -> redis.hget(key, field));
    }

    private Double lock(String job) {
        return world.store.ask(redis -> redis.zscore(world.prefix + "reducing", job));
    }

    /** Map has given one chunk, which is done. */
    private Claim reduce() {
        worker.step(List.of(passed(worker.claimOne(), "[1]")), 0);
        worker.step(List.of(passed(worker.claimOne(), "10")), 0);
        return worker.claimOne();
    }

    /** The first trial, and one more for each retry; the job goes with the last. */
    @Test
    void reduceThatFailsUsesItsTrialsAndIsDroppedInTheEnd() {
        String job = world.push("sum", "1", "[1]");
        Claim reduce = reduce();
        assertThat(reduce.id()).isEqualTo("r" + job);
        assertThat(reduce.trial()).isEqualTo(1);
        assertThat(worker.step(List.of(failed(reduce)), 0).verdicts()).containsExactly(Verdict.RETRIED);
        assertThat(worker.claim(5)).as("its wait is not over").isEmpty();
        assertThat(hash(job, "state")).isEqualTo("reducing");
        assertThat(hash(job, "retries")).isEqualTo("1");
        world.hurry(world.prefix + "reducing");
        Claim again = worker.claimOne();
        assertThat(again.id()).isEqualTo("r" + job);
        assertThat(again.trial()).isGreaterThan(1);
        assertThat(worker.argument(again)).isEqualTo("[10]");
        worker.step(List.of(failed(again)), 0);
        world.hurry(world.prefix + "reducing");
        assertThat(worker.claim(5)).isEmpty();
        assertThat(world.keys()).isEmpty();
    }

    @Test
    void ownJobWhoseReduceFailsEndsWithItsError() {
        world.jobs.add("sum", "a", "[1]", Duration.ZERO);
        for (Claim reduce = reduce(); ; reduce = worker.claimOne()) {
            worker.step(List.of(failed(reduce)), 0);
            world.hurry(world.prefix + "reducing");
            if (hash(world.prefix + "sum:a", "retries").equals("3")) {
                break;
            }
        }
        assertThat(worker.claim(5)).isEmpty();
        assertThat(world.jobs.report("sum", "a"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.type(QueueJobs.Report.Ended.class))
                        .returns("reduce", QueueJobs.Report.Ended::how)
                        .satisfies(ended -> assertThat(ended.text()).contains("\"Error\"")));
    }

    @Test
    void reduceThatFailedOnceMayPass() {
        world.jobs.add("sum", "a", "[1]", Duration.ZERO);
        worker.step(List.of(failed(reduce())), 0);
        world.hurry(world.prefix + "reducing");
        assertThat(worker.step(List.of(passed(worker.claimOne(), "60")), 0).verdicts())
                .containsExactly(Verdict.COUNTED);
        assertThat(world.jobs.report("sum", "a").orElseThrow().toString()).contains("passed", "60");
    }

    /** Another program of the prefix took the job up after its time and knows nothing of sessions. */
    private String lockAnew(Claim claim) {
        String job = claim.id().substring(1);
        world.store.ask(redis -> redis.zadd(world.prefix + "reducing", System.currentTimeMillis() + 600_000.0, job));
        return job;
    }

    @Test
    void resultOfALockThatWasPutAnewCountsNothing() {
        world.push("sum", "1", "[1]");
        Claim reduce = reduce();
        String job = lockAnew(reduce);
        Map<String, String> theirs = world.keys();
        assertThat(worker.source.attend(List.of(new RunningTask(reduce.id(), 0, 1))))
                .as("it is told that it lost the job")
                .containsExactly(reduce.id());
        assertThat(worker.step(List.of(passed(reduce, "60")), 0).verdicts()).containsExactly(Verdict.VOID);
        assertThat(world.keys()).isEqualTo(theirs);
        assertThat(lock(job)).isNotNull();
    }

    @Test
    void lockThatWasPutAnewIsNotGivenBack() {
        world.push("sum", "1", "[1]");
        Claim reduce = reduce();
        String job = lockAnew(reduce);
        Double theirs = lock(job);
        assertThat(worker.step(List.of(new Settlement.Returned(reduce)), 0).verdicts())
                .containsExactly(Verdict.VOID);
        assertThat(lock(job)).isEqualTo(theirs);
        assertThat(hash(job, "retries")).isEqualTo("0");
    }

    @Test
    void deadSessionLeavesALockThatWasPutAnew() {
        world.push("sum", "1", "[1]");
        String job = lockAnew(reduce());
        Double theirs = lock(job);
        worker.die();
        assertThat(lock(job)).isEqualTo(theirs);
        assertThat(world.worker(SUM).claim(5)).isEmpty();
    }
}
