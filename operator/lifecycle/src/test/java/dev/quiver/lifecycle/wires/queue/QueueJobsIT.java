package dev.quiver.lifecycle.wires.queue;

import static dev.quiver.lifecycle.wires.queue.QueueWorld.SUM;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.failed;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepCall.Outcome.Done;
import dev.quiver.lifecycle.worker.StepCall.Verdict;
import dev.quiver.lifecycle.worker.Takeover;

/** Jobs that other programs put under a granted prefix, and those of Quiver's own there. */
class QueueJobsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private QueueWorld world;

    @BeforeEach
    void begin() {
        world = new QueueWorld(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** For whoever sizes the pool. */
    @Test
    void countsItsTrialsAndTheirTime() {
        QueueWorld.Worker worker = worker();
        mapped(worker);
        List<Claim> chunks = worker.claim(1);
        worker.step(
                List.of(new Settlement.Passed(
                        chunks.getFirst(), Duration.ofMillis(250), Optional.of(TaskResult.of("1")))),
                0);
        assertThat(new Lifecycle(world.store)
                        .waiting(world.keyspace)
                        .of(List.of("p"))
                        .get("p"))
                .singleElement()
                .satisfies(load -> {
                    assertThat(load.claimable()).isEqualTo(2);
                    assertThat(load.trials()).as("of the map and a chunk").isEqualTo(2);
                    assertThat(load.runTime()).isBetween(Duration.ofMillis(250), Duration.ofMillis(350));
                    assertThat(load.sinceFirst()).isPresent();
                    assertThat(load.sinceProgress()).isPresent();
                });
    }

    private QueueWorld.Worker worker() {
        return world.worker(SUM);
    }

    private static List<Settlement> tens(Collection<Claim> chunks, QueueWorld.Worker worker) {
        return chunks.stream()
                .map(claim -> passed(
                        claim, "" + 10 * Integer.parseInt(worker.argument(claim).replaceAll("\\D", ""))))
                .toList();
    }

    /** Map has given three chunks. */
    private String mapped(QueueWorld.Worker worker) {
        String job = world.push("sum", "1", "[1,2,3]");
        worker.step(List.of(passed(worker.claimOne(), "[{\"n\":1},{\"n\":2},{\"n\":3}]")), 0);
        return job;
    }

    private String hash(String key, String field) {
        return world.store.ask(redis -> redis.hget(key, field));
    }

    /** Locks aside: they are Quiver's own addition. */
    private Map<String, String> withoutLocks() {
        Map<String, String> keys = new TreeMap<>(world.keys());
        keys.replaceAll((key, value) -> value.replaceAll("(, quiver_lock=[^,}]*)|(quiver_lock=[^,}]*, )", ""));
        return keys;
    }

    /** Scores aside. */
    @Test
    void keysOfEachStateAreThoseOfTheRecording() {
        QueueRecording recording = new QueueRecording(world.prefix);
        world.postpone("later", "single", "{\"a\":1}", System.currentTimeMillis() + 3_600_000);
        String job = world.push("sum", recording.id(), "[1,2,3]");
        assertThat(withoutLocks()).isEqualTo(recording.keys("pushed + postponed"));
        QueueWorld.Worker worker = worker();
        Claim map = worker.claimOne();
        assertThat(worker.argument(map)).isEqualTo("[1,2,3]");
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+909"));
        worker.step(List.of(passed(map, "[{\"n\":1},{\"n\":2},{\"n\":3}]")), 0);
        List<Claim> chunks = worker.claim(2);
        while (chunks.stream().anyMatch(claim -> claim.id().endsWith(":1"))) { // the recorded program had the others
            worker.step(
                    chunks.stream().<Settlement>map(Settlement.Returned::new).toList(), 0);
            chunks = worker.claim(2);
        }
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+1635"));
        worker.step(tens(chunks, worker), 0);
        worker.step(List.of(failed(worker.claimOne())), 5);
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+2543"));
        world.hurry(job + ":chunks:errored");
        Claim again = worker.claimOne();
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+4419"));
        worker.step(tens(List.of(again), worker), 0);
        Claim reduce = worker.claimOne();
        assertThat(worker.argument(reduce)).isEqualTo("[10,20,30]");
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+5329"));
        worker.step(List.of(passed(reduce, "60")), 5);
        assertThat(withoutLocks()).isEqualTo(recording.keys("t+6538"));
    }

    @Test
    void postponedJobBeginsWhenItIsDueAndNotWhileAnotherOfItsNameIsThere() {
        QueueWorld.Worker worker = worker();
        String job = world.postpone("sum", "single", "{\"a\":1}", System.currentTimeMillis() + 3_600_000);
        world.tick();
        assertThat(worker.claim(5)).isEmpty();
        world.push("sum", "single", "{\"a\":2}");
        world.hurry(world.prefix + "postponed");
        world.tick();
        Claim first = worker.claimOne();
        assertThat(worker.argument(first)).isEqualTo("{\"a\":2}");
        worker.step(List.of(passed(first, "[]")), 0);
        worker.step(List.of(passed(worker.claimOne(), "null")), 0);
        world.tick();
        assertThat(worker.argument(worker.claimOne())).isEqualTo("{\"a\":1}");
        assertThat(hash(job, "state")).isEqualTo("mapping");
        assertThat(world.keys()).doesNotContainKey(world.prefix + "postponed").doesNotContainKey(job + ":postponed");
    }

    @Test
    void mapThatBringsNothingIsReducedAllTheSame() {
        QueueWorld.Worker worker = worker();
        world.push("sum", "1", "[]");
        worker.step(List.of(passed(worker.claimOne(), "[]")), 0);
        assertThat(worker.argument(worker.claimOne())).isEqualTo("[]");
    }

    @Test
    void typeWithoutMapAndReduceHasOneChunkWithTheDataOfTheJob() {
        QueueWorld.Worker worker = world.worker("mail.process");
        world.push("mail", "1", "{\"to\":\"é\"}");
        worker.claim(1);
        Claim chunk = worker.held.isEmpty() ? worker.claimOne() : worker.held.getFirst();
        assertThat(worker.argument(chunk)).isEqualTo("{\"to\":\"é\"}");
        worker.step(List.of(passed(chunk, "1")), 1);
        worker.claim(1);
        assertThat(world.keys()).isEmpty();
    }

    @Test
    void jobsOfOtherTypesStayForTheirPrograms() {
        IntStream.range(0, 300).forEach(i -> world.push("other", "" + i, "1"));
        String job = world.push("sum", "1", "[1]");
        QueueWorld.Worker worker = worker();
        assertThat(worker.claim(5)).extracting(Claim::id).containsExactly("m" + job);
        Done none = worker.step(List.of(), 5);
        assertThat(none.claims()).isEmpty();
        assertThat(none.others()).isPresent();
    }

    @Test
    void chunkThatFailsThreeTimesIsDroppedAndTheJobGoesOnWithoutIt() {
        QueueWorld.Worker worker = worker();
        String job = mapped(worker);
        for (int trial = 0; trial < 3; trial++) {
            for (Claim claim : worker.claim(3)) {
                worker.step(List.of(claim.id().endsWith(":1") ? failed(claim) : passed(claim, "5")), 0);
            }
            world.hurry(job + ":chunks:errored");
        }
        Claim reduce = worker.claimOne();
        assertThat(worker.argument(reduce)).isEqualTo("[5,5]");
        assertThat(world.keys()).doesNotContainKey(job + ":1");
    }

    @Test
    void mapThatFailsIsRestartedOnceAndTheJobGoesAwayAsWithTheOtherPrograms() {
        QueueWorld.Worker worker = worker();
        String job = world.push("sum", "1", "[1]");
        worker.step(List.of(failed(worker.claimOne())), 5);
        assertThat(worker.held).isEmpty();
        world.hurry(world.prefix + "mapping");
        assertThat(hash(job, "retries")).isEqualTo("1");
        worker.step(List.of(failed(worker.claimOne())), 0);
        assertThat(hash(job, "retries")).isEqualTo("3");
        world.hurry(world.prefix + "mapping");
        assertThat(worker.claim(5)).isEmpty();
        assertThat(world.keys()).isEmpty();
    }

    /** A function that freezes. */
    enum Frozen {
        MAP,
        CHUNK,
        REDUCE
    }

    @ParameterizedTest
    @EnumSource
    void frozenWorkIsTakenUpAgainAndItsLateResultIsRefused(Frozen part) {
        QueueWorld.Worker slow = worker();
        String job = part == Frozen.MAP ? world.push("sum", "1", "[1]") : mapped(slow);
        if (part == Frozen.REDUCE) {
            slow.step(tens(slow.claim(3), slow), 0);
        }
        Claim frozen = slow.claim(1).getFirst();
        String deadlines = part == Frozen.MAP
                ? world.prefix + "mapping"
                : part == Frozen.CHUNK ? job + ":chunks:active" : world.prefix + "reducing";
        world.hurry(deadlines);
        assertThat(slow.source.attend(List.of(new RunningTask(frozen.id(), 0, 1))))
                .containsExactly(frozen.id());
        QueueWorld.Worker quick = worker();
        List<Claim> again = quick.claim(3);
        assertThat(again).extracting(Claim::id).contains(frozen.id());
        assertThat(slow.step(List.of(passed(frozen, "[7,7]")), 0).verdicts()).containsExactly(Verdict.VOID);
        String retries = hash(part == Frozen.CHUNK ? frozen.id().substring(1) : job, "retries");
        assertThat(retries).isEqualTo("1");
        assertThat(quick.step(List.of(passed(again.getFirst(), "[7]")), 0).verdicts())
                .containsExactly(Verdict.COUNTED);
    }

    @Test
    void locksOfRunningWorkAreRenewed() {
        QueueWorld.Worker worker = worker();
        String job = world.push("sum", "1", "[1]");
        Claim map = worker.claimOne();
        double soon = System.currentTimeMillis() + 2_000.0;
        String lock = hash(job, "quiver_lock");
        String text = String.format(java.util.Locale.ROOT, "%.0f", soon);
        world.store.ask(redis -> redis.zadd(world.prefix + "mapping", soon, job));
        world.store.ask(redis -> redis.hset(job, "quiver_lock", lock.replaceFirst("[^/]*$", text)));
        assertThat(worker.source.attend(List.of(new RunningTask(map.id(), 0, 1))))
                .isEmpty();
        double later = world.store.ask(redis -> redis.zscore(world.prefix + "mapping", job));
        assertThat(later).isGreaterThan(soon + 5_000);
        assertThat(worker.step(List.of(passed(map, "[1]")), 0).verdicts()).containsExactly(Verdict.COUNTED);
    }

    @Test
    void workerThatDiesLosesOneTrialOfEach() {
        QueueWorld.Worker doomed = worker();
        String job = mapped(doomed);
        doomed.claim(2);
        doomed.die();
        QueueWorld.Worker heir = worker();
        List<Claim> chunks = heir.claim(5);
        assertThat(chunks).hasSize(3);
        assertThat(chunks.stream().mapToInt(Claim::trial).sum()).isEqualTo(5);
        heir.step(tens(chunks, heir), 0);
        heir.claimOne();
        heir.die();
        assertThat(worker().claimOne().id()).isEqualTo("r" + job);
        assertThat(hash(job, "retries")).isEqualTo("1");
    }

    @Test
    void restartedSupervisorGoesOnWithWhatRunsInItsSlots() {
        QueueWorld.Worker before = worker();
        mapped(before);
        List<Claim> chunks = before.claim(2);
        QueueWorld.Worker after = before.successor();
        List<Orphan> orphans = after.session.orphans();
        assertThat(orphans)
                .extracting(Orphan::id)
                .containsExactlyInAnyOrder(chunks.get(0).id(), chunks.get(1).id());
        List<Claim> adopted = after.session.adopt(orphans.stream()
                .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                .toList());
        assertThat(adopted).hasSize(2);
        assertThat(after.step(tens(adopted, after), 0).verdicts()).containsOnly(Verdict.COUNTED);
    }

    @Test
    void returnedWorkUsesNoTrial() {
        QueueWorld.Worker worker = worker();
        String job = world.push("sum", "1", "[1,2,3]");
        worker.step(List.of(new Settlement.Returned(worker.claimOne())), 0);
        assertThat(hash(job, "state")).isEqualTo("pending");
        worker.step(List.of(passed(worker.claimOne(), "[1,2]")), 0);
        worker.step(
                worker.claim(2).stream()
                        .<Settlement>map(Settlement.Returned::new)
                        .toList(),
                0);
        List<Claim> chunks = worker.claim(2);
        assertThat(chunks).extracting(Claim::trial).containsOnly(1);
        worker.step(tens(chunks, worker), 0);
        worker.step(List.of(new Settlement.Returned(worker.claimOne())), 0);
        assertThat(hash(job, "state")).isEqualTo("aggregating");
        assertThat(worker.claimOne().trial()).isEqualTo(1);
    }

    @Test
    void stepWhoseReplyWasLostIsDoneOnce() {
        QueueWorld.Worker worker = worker();
        mapped(worker);
        var call = worker.call(tens(worker.claim(2), worker), 2);
        Done once = (Done) call.run();
        Done again = (Done) call.run();
        assertThat(again.verdicts()).isEqualTo(once.verdicts()).containsOnly(Verdict.COUNTED);
        assertThat(again.claims()).hasSameSizeAs(once.claims());
    }

    @Test
    void manyChunksComeInPagesAndLaterTrialsReplaceThem() {
        QueueWorld.Worker first = worker();
        String job = world.push("sum", "1", "[]");
        Claim early = first.claimOne();
        String thousand =
                IntStream.range(0, 1000).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        world.hurry(world.prefix + "mapping");
        QueueWorld.Worker second = worker();
        Claim late = second.claimOne();
        assertThat(first.step(List.of(passed(early, thousand)), 0).verdicts()).containsExactly(Verdict.VOID);
        assertThat(world.keys()).hasSize(2);
        second.step(List.of(passed(late, thousand)), 0);
        long pending = world.store.ask(redis -> redis.scard(job + ":chunks:pending"));
        assertThat(pending).isEqualTo(1000);
        int settled = 0;
        List<Claim> chunks = second.claim(64);
        while (!chunks.isEmpty() && !chunks.getFirst().id().startsWith("r")) {
            settled += chunks.size();
            chunks = second.step(tens(chunks, second), 64).claims();
        }
        assertThat(settled).isEqualTo(1000);
        assertThat(second.argument(chunks.getFirst()))
                .isEqualTo(
                        IntStream.range(0, 1000).mapToObj(i -> "" + 10 * i).collect(Collectors.joining(",", "[", "]")));
    }

    @Test
    void ownJobKeepsItsResultAndAFailedOneItsError() {
        QueueWorld.Worker worker = worker();
        assertThat(world.jobs.add("sum", "a", "[1]", Duration.ZERO)).isTrue();
        assertThat(world.jobs.add("sum", "a", "[2]", Duration.ZERO)).isFalse();
        worker.step(List.of(passed(worker.claimOne(), "[4]")), 0);
        assertThat(world.jobs.report("sum", "a"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(type(QueueJobs.Report.Going.class))
                        .returns("aggregating", QueueJobs.Report.Going::state)
                        .returns(1L, QueueJobs.Report.Going::made)
                        .returns(1L, QueueJobs.Report.Going::pending));
        worker.step(tens(worker.claim(5), worker), 0);
        worker.step(List.of(passed(worker.claimOne(), "{\"sum\":40}")), 0);
        assertThat(world.keys()).isEmpty();
        assertThat(world.jobs.report("sum", "a"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(type(QueueJobs.Report.Ended.class))
                        .returns("passed", QueueJobs.Report.Ended::how)
                        .returns("{\"sum\":40}", QueueJobs.Report.Ended::text));
        assertThat(world.jobs.add("sum", "a", "[1]", Duration.ZERO)).isFalse();
        assertThat(world.jobs.forget("sum", "a")).isTrue();
        assertThat(world.jobs.report("sum", "a")).isEmpty();

        world.jobs.add("sum", "b", "[1]", Duration.ZERO);
        for (int trial = 0; trial < 2; trial++) {
            worker.step(List.of(failed(worker.claimOne())), 0);
            world.hurry(world.prefix + "mapping");
        }
        worker.claim(1);
        assertThat(world.jobs.report("sum", "b"))
                .hasValueSatisfying(
                        report -> assertThat(report.toString()).contains("map").contains("Error"));
    }

    @Test
    void ownJobThatLostItsWorkersSaysWhatBecameOfTheLastPod() {
        world.jobs.add("sum", "a", "[1]", Duration.ZERO);
        for (int loss = 0; loss < 9; loss++) {
            QueueWorld.Worker worker = worker();
            if (!worker.claim(1).isEmpty()) {
                worker.noteFate("the pod ended: Evicted");
                worker.die();
            }
            world.hurry(world.prefix + "mapping");
        }
        assertThat(world.jobs.report("sum", "a"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(type(QueueJobs.Report.Ended.class))
                        .extracting(QueueJobs.Report.Ended::text)
                        .asString()
                        .contains("lost its worker; the last time the pod ended: Evicted\""));
    }

    /** The watchdog lets the locks after the first one lapse. */
    @Test
    void anEarlierPodDoesNotExplainALockThatLapsed() {
        world.jobs.add("sum", "a", "[1]", Duration.ZERO);
        for (int loss = 0; loss < 9; loss++) {
            QueueWorld.Worker worker = worker();
            if (!worker.claim(1).isEmpty() && loss == 0) {
                worker.noteFate("the pod ended: Evicted");
                worker.die();
            }
            world.hurry(world.prefix + "mapping");
        }
        assertThat(world.jobs.report("sum", "a"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(type(QueueJobs.Report.Ended.class))
                        .extracting(QueueJobs.Report.Ended::text)
                        .asString()
                        .contains("lost its worker\""));
    }

    @Test
    void cancelLeavesNothingOfAJobPostponedOrNot() {
        QueueWorld.Worker worker = worker();
        world.jobs.add("sum", "later", "[1]", Duration.ofHours(1));
        assertThat(world.jobs.report("sum", "later"))
                .hasValueSatisfying(report -> assertThat(report)
                        .asInstanceOf(type(QueueJobs.Report.Going.class))
                        .returns("postponed", QueueJobs.Report.Going::state)
                        .satisfies(going -> assertThat(going.begins())
                                .isAfter(going.storeTime().plus(Duration.ofMinutes(59)))));
        assertThat(world.jobs.cancel("sum", "later")).isTrue();
        world.jobs.add("sum", "now", "[1]", Duration.ZERO);
        worker.step(List.of(passed(worker.claimOne(), "[1,2,3]")), 0);
        List<Claim> chunks = worker.claim(2);
        assertThat(world.jobs.cancel("sum", "now")).isTrue();
        assertThat(world.keys()).isEmpty();
        assertThat(worker.step(tens(chunks, worker), 3).verdicts()).containsOnly(Verdict.VOID);
        assertThat(world.keys()).isEmpty();
        assertThat(world.jobs.cancel("sum", "now")).isFalse();
    }

    @Test
    void grantThatIsTakenAwayLeavesTheJobsToTheOthers() {
        QueueWorld.Worker worker = worker();
        String job = mapped(worker);
        List<Claim> chunks = worker.claim(2);
        world.grants.revoke("p");
        assertThat(worker.call(tens(chunks, worker), 3).run()).isInstanceOf(StepCall.Outcome.Gone.class);
        assertThat(world.keys()).containsKey(job + ":chunks:active");
    }

    @Test
    void keysOfAnotherShapeAreLeftAloneAndKeepNothingBack() {
        String p = world.prefix;
        world.store.ask(redis -> redis.sadd(p + "pending", "elsewhere:sum:1", p + "sum:text", p + "sum:none"));
        world.store.ask(redis -> redis.set(p + "sum:text", "x"));
        world.store.ask(redis -> redis.set("elsewhere:sum:1", "x"));
        world.store.ask(redis -> redis.set(p + "aggregating", "x"));
        world.store.ask(redis -> redis.zadd(p + "postponed", 1, "elsewhere:sum:1"));
        String job = world.push("sum", "1", "[1]");
        world.tick();
        assertThat(worker().claim(5)).extracting(Claim::id).containsExactly("m" + job);
        String elsewhere = world.store.ask(redis -> redis.get("elsewhere:sum:1"));
        assertThat(elsewhere).isEqualTo("x");
    }
}
