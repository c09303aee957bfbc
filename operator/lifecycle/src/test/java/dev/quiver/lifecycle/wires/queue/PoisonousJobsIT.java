package dev.quiver.lifecycle.wires.queue;

import static dev.quiver.lifecycle.wires.queue.QueueWorld.SUM;
import static dev.quiver.lifecycle.wires.queue.QueueWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.wires.queue.QueueWorld.Worker;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepRequest;

/** A job or a chunk under a prefix that kills its worker each time takes no other one with it a third time. */
class PoisonousJobsIT {

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

    private Worker worker() {
        return world.worker(SUM);
    }

    /** Map has given so many chunks. */
    private String mapped(int chunks) {
        String job = world.push("sum", "1", "[]");
        Worker worker = worker();
        worker.step(List.of(passed(worker.claimOne(), numbers(chunks))), 0);
        return job;
    }

    private static String numbers(int many) {
        return IntStream.range(0, many).boxed().toList().toString();
    }

    /** Workers take three at once and die with all of them, twice. */
    private void loseTwice() {
        for (int loss = 0; loss < 2; loss++) {
            Worker worker = worker();
            assertThat(worker.claim(3)).hasSize(3);
            worker.die();
        }
    }

    private static Settlement ended(Claim claim) {
        return passed(claim, claim.task().brings() ? "[1]" : "1");
    }

    private static List<Settlement> ended(List<Claim> claims) {
        return claims.stream().map(PoisonousJobsIT::ended).toList();
    }

    private long waitAlone() {
        return world.store.ask(redis -> redis.scard(world.keyspace.pool("p") + ":queue:aside"));
    }

    /** Until nothing is there, workers take what they get, and die with the poisonous one. How many died each time. */
    private List<Integer> runAll(String poison) {
        List<Integer> deaths = new ArrayList<>();
        for (int round = 0; round < 40 && !world.keys().isEmpty(); round++) {
            Worker worker = worker();
            List<Claim> claims = worker.claim(3);
            if (claims.stream().anyMatch(claim -> claim.id().equals(poison))) {
                assertThat(worker.claim(3)).as("nothing is claimed beside it").isEmpty();
                worker.die();
                deaths.add(claims.size());
            } else {
                worker.step(ended(claims), 0);
            }
        }
        assertThat(world.keys()).isEmpty();
        assertThat(waitAlone()).isZero();
        return deaths;
    }

    @Test
    void itsNeighboursAmongChunksSurvive() {
        String job = mapped(3);
        loseTwice();
        Worker worker = worker();
        List<Claim> first = worker.claim(3);
        assertThat(first).hasSize(1);
        assertThat(worker.claim(3)).isEmpty();
        worker.step(List.of(new Settlement.Returned(first.getFirst())), 0);
        assertThat(runAll("c" + job + ":1")).isNotEmpty().containsOnly(1);
    }

    @Test
    void itsNeighboursAmongMapsSurvive() {
        String poison = "m" + world.push("sum", "1", "[]");
        world.push("sum", "2", "[]");
        world.push("sum", "3", "[]");
        loseTwice();
        assertThat(runAll(poison)).isNotEmpty().containsOnly(1);
    }

    @Test
    void itsNeighboursAmongReducesSurvive() {
        String poison = "r" + world.push("sum", "1", "[]");
        world.push("sum", "2", "[]");
        world.push("sum", "3", "[]");
        Worker worker = worker();
        worker.step(ended(worker.claim(3)), 0);
        worker.step(ended(worker.claim(3)), 0);
        loseTwice();
        assertThat(runAll(poison)).isNotEmpty().containsOnly(1);
    }

    @Test
    void aMapThatLostTwoWorkersLeavesNoneOfItsLossesToItsReduce() {
        String job = world.push("sum", "1", "[]");
        for (int loss = 0; loss < 2; loss++) {
            Worker worker = worker();
            worker.claimOne();
            worker.die();
        }
        assertThat(world.store.<String>ask(redis -> redis.hget(job, "quiver_lost")))
                .isEqualTo("2");
        Worker worker = worker();
        worker.step(ended(worker.claim(1)), 0);
        assertThat(world.store.<String>ask(redis -> redis.hget(job, "quiver_lost")))
                .isNull();
    }

    /** The deadlines pass before the dead sessions are noticed. */
    @Test
    void aDeadlineThatPassedIsALossToo() {
        String job = mapped(3);
        for (int loss = 0; loss < 2; loss++) {
            assertThat(worker().claim(3)).hasSize(3);
            world.hurry(job + ":chunks:active");
        }
        assertThat(worker().claim(3)).hasSize(1);
    }

    @Test
    void aFailureIsNoLoss() {
        String job = mapped(3);
        for (int failure = 0; failure < 2; failure++) {
            Worker worker = worker();
            List<Claim> claims = worker.claim(3);
            assertThat(claims).hasSize(3);
            worker.step(claims.stream().map(QueueWorld::failed).toList(), 0);
            world.hurry(job + ":chunks:errored");
        }
        assertThat(world.store.<String>ask(redis -> redis.hget(job + ":0", "quiver_lost")))
                .isNull();
    }

    /** However busy the pool is: one worker lets its other tasks end. */
    @Test
    void itDoesNotStarveInABusyPool() {
        String lost = world.push("sum", "lost", "[]");
        for (int loss = 0; loss < 2; loss++) {
            Worker worker = worker();
            assertThat(worker.claimOne().id()).isEqualTo("m" + lost);
            worker.die();
        }
        List<Worker> workers = List.of(worker(), worker());
        world.store.ask(redis -> redis.zadd(world.prefix + "mapping", System.currentTimeMillis() + 600_000.0, lost));
        IntStream.range(0, 200).forEach(i -> world.push("sum", "more" + i, "[]"));
        workers.forEach(worker -> assertThat(worker.claim(4)).hasSize(4));
        world.hurry(world.prefix + "mapping"); // those that run are lost to their workers, and begun anew
        boolean ran = false;
        for (int round = 0; round < 100 && !ran; round++) {
            for (Worker worker : workers) {
                List<Claim> ends = List.copyOf(worker.held).subList(0, Math.min(2, worker.held.size()));
                worker.step(ended(ends), 2);
                boolean alone =
                        worker.held.stream().anyMatch(claim -> claim.id().equals("m" + lost));
                assertThat(alone && worker.held.size() > 1).isFalse();
                ran |= alone;
            }
        }
        assertThat(ran).isTrue();
    }

    @Test
    void aSessionIsFreeOnceTheGrantIsGone() {
        mapped(3);
        loseTwice();
        Worker worker = worker();
        assertThat(worker.claim(3)).hasSize(1);
        String session = world.keyspace.prefix() + "session:" + worker.session.id();
        assertThat(world.store.<String>ask(redis -> redis.hget(session, "alone")))
                .isEqualTo("h queue:p");
        world.grants.revoke("p");
        worker.source
                .prepare(new StepRequest(List.of(), List.of(), List.of(SUM)))
                .run();
        assertThat(world.store.<String>ask(redis -> redis.hget(session, "alone")))
                .isNull();
    }
}
