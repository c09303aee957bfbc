package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.WorkSource;

/** A task that kills its worker each time takes no other task with it for good: after its second loss it runs alone. */
class PoisonousTasksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String POISON = "1";

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void open(String uid, long tasks) {
        ExecutionSpec spec = new ExecutionSpec(
                uid,
                List.of("true"),
                List.of(),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(tasks));
        new Lifecycle(world.store)
                .control(world.keyspace, 1)
                .open(TaskSetOpening.of(uid, "p", spec, TaskSetLimits.DEFAULT));
    }

    private TaskSetSnapshot look(String uid) {
        return new Lifecycle(world.store)
                .control(world.keyspace, 1)
                .snapshot(List.of(uid))
                .get(uid);
    }

    /** Tasks of the set that wait for a session that holds nothing. */
    private long waitAlone() {
        String set = world.keyspace.prefix() + "taskset:u";
        return Long.parseLong(world.store.<String>ask(redis -> redis.hget(set, "isolated")));
    }

    private static WorkSource of(World.Worker worker, String uid) {
        return worker.at(uid).orElseThrow();
    }

    private static List<Settlement> passed(List<Claim> claims) {
        return claims.stream().map(claim -> World.passed(claim, "1")).toList();
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    private World.Worker worker() {
        return world.worker("p", "h");
    }

    /** Workers take the first three tasks, and die with all of them; twice. */
    private void loseTwice(String uid) {
        for (int loss = 0; loss < 2; loss++) {
            World.Worker worker = worker();
            assertThat(ids(worker.claim(of(worker, uid), 3))).containsExactlyInAnyOrder("0", "1", "2");
            worker.die();
        }
    }

    @Test
    void itsNeighboursOfASetSurvive() {
        open("u", 6);
        loseTwice("u");
        int deaths = 0;
        while (look("u").succeeded() + look("u").failed() < 6) {
            World.Worker worker = worker();
            List<Claim> claims = worker.claim(of(worker, "u"), 3);
            if (ids(claims).contains(POISON)) {
                assertThat(claims).hasSize(1);
                worker.die();
                deaths++;
            } else {
                worker.step(of(worker, "u"), passed(claims), 0);
            }
        }
        assertThat(look("u").failed()).isOne();
        assertThat(look("u").succeeded()).isEqualTo(5);
        assertThat(deaths).isOne();
    }

    @Test
    void nothingIsClaimedBesideItNorItBesideOthers() {
        open("u", 6);
        open("other", 4);
        World.Worker busy = worker();
        List<Claim> held = busy.claim(of(busy, "other"), 1);
        loseTwice("u");
        List<Claim> some = busy.claim(of(busy, "u"), 6); // those that were never lost
        assertThat(ids(some)).doesNotContain("0", "1", "2");
        World.Worker idle = worker();
        List<Claim> alone = idle.claim(of(idle, "u"), 6);
        assertThat(alone).hasSize(1);
        assertThat(idle.claim(of(idle, "u"), 6)).isEmpty();
        assertThat(idle.claim(of(idle, "other"), 2)).isEmpty();
        idle.step(of(idle, "u"), passed(alone), 0);
        assertThat(idle.claim(of(idle, "other"), 2)).hasSize(2);
        assertThat(held).hasSize(1);
    }

    /** However busy the pool is: one worker lets its other tasks end. */
    @Test
    void itDoesNotStarveInABusyPool() {
        open("u", 1000);
        loseTwice("u");
        List<World.Worker> workers = List.of(worker(), worker());
        List<List<Claim>> held = new ArrayList<>();
        for (World.Worker worker : workers) {
            held.add(worker.claim(of(worker, "u"), 4));
        }
        for (int round = 0; round < 40 && waitAlone() > 0; round++) {
            for (int i = 0; i < workers.size(); i++) {
                World.Worker worker = workers.get(i);
                List<Claim> ends =
                        held.get(i).subList(0, Math.min(2, held.get(i).size()));
                List<Claim> more = worker.step(of(worker, "u"), passed(ends), 2).claims();
                List<Claim> now = new ArrayList<>(
                        held.get(i).subList(ends.size(), held.get(i).size()));
                now.addAll(more);
                held.set(i, now);
            }
        }
        assertThat(waitAlone()).isZero();
        assertThat(look("u").failed()).isZero();
    }

    @Test
    void itsNeighboursAmongTasksSurvive() {
        for (int i = 0; i < 6; i++) {
            world.begin("t" + i, World.leaf("t" + i));
        }
        for (int loss = 0; loss < 2; loss++) {
            World.Worker worker = worker();
            assertThat(worker.step(List.of(), 3).claims()).hasSize(3);
            worker.die();
        }
        int deaths = 0;
        for (int round = 0; round < 20 && over() < 6; round++) {
            World.Worker worker = worker();
            List<Claim> claims = worker.step(List.of(), 3).claims();
            if (ids(claims).contains("t1")) {
                assertThat(claims).hasSize(1);
                assertThat(worker.step(List.of(), 3).claims()).isEmpty();
                worker.die();
                deaths++;
            } else {
                worker.step(passed(claims), 0);
            }
        }
        assertThat(over()).isEqualTo(6);
        assertThat(deaths).isOne();
        assertThat(IntStream.range(0, 6)
                        .filter(i -> world.state("t" + i).error().isPresent()))
                .containsExactly(1);
    }

    private long over() {
        return IntStream.range(0, 6).filter(i -> world.state("t" + i).over()).count();
    }

    @Test
    void oneThatIsCancelledWhileItWaitsToRunAloneIsGone() {
        world.begin("t", World.leaf("t"));
        for (int loss = 0; loss < 2; loss++) {
            World.Worker worker = worker();
            worker.step(List.of(), 1);
            worker.die();
        }
        world.begin("other", World.leaf("other"));
        World.Worker busy = worker();
        assertThat(busy.step(List.of(), 2).claims()).hasSize(1); // the other one; this one is set aside
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(world.store.<Long>ask(
                        redis -> redis.zcard(world.keys.queue("p").get(3))))
                .isZero();
    }
}
