package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.iterator;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leaf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.wires.idoit.IdoitWorld.Worker;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepRequest;

/** A task of the wire that kills its worker each time takes no other one with it a third time. */
class PoisonousIdoitTasksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final String POISON = "t1";

    private IdoitWorld world;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private Worker worker() {
        return world.worker("p", "mul", "walk");
    }

    private void begin(int tasks) {
        IntStream.range(0, tasks).forEach(i -> world.begin("t" + i, leaf("mul", i)));
        worker().step(List.of(), 0); // activates them
    }

    /** Workers take three tasks and die with all of them, twice. */
    private void loseTwice() {
        for (int loss = 0; loss < 2; loss++) {
            Worker worker = worker();
            assertThat(worker.step(List.of(), 3).claims()).hasSize(3);
            worker.die();
        }
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    private static List<Settlement> passed(List<Claim> claims) {
        return claims.stream().map(claim -> IdoitWorld.passed(claim, "1")).toList();
    }

    private long waitAlone() {
        return world.store.ask(redis -> redis.scard(world.keyspace.pool("p") + ":idoit:aside"));
    }

    private Stream<String> states() {
        return world.store.<List<String>>ask(redis -> redis.keys(world.prefix + "t*")).stream()
                .map(key -> world.state(key.substring(world.prefix.length())));
    }

    private boolean allOver() {
        return states().allMatch("\"finished\""::equals);
    }

    /** Until all are over, workers take what they get, and die with the poisonous one. The sizes of what died with it. */
    private List<Integer> runAll() {
        List<Integer> deaths = new ArrayList<>();
        for (int round = 0; round < 40 && !allOver(); round++) {
            Worker worker = worker();
            List<Claim> claims = worker.step(List.of(), 3).claims();
            if (ids(claims).contains(POISON)) {
                assertThat(worker.step(List.of(), 3).claims())
                        .as("nothing is claimed beside it")
                        .isEmpty();
                worker.die();
                deaths.add(claims.size());
            } else {
                worker.step(passed(claims), 0);
            }
        }
        assertThat(allOver()).isTrue();
        return deaths;
    }

    @Test
    void itsNeighboursSurvive() {
        begin(3);
        loseTwice();
        assertThat(runAll()).isNotEmpty().containsOnly(1);
        assertThat(world.task(POISON).get("error")).contains("WorkerLost");
        assertThat(world.task("t0")).containsEntry("result", "1").doesNotContainKey("quiver_lost");
        assertThat(world.task("t2")).containsEntry("result", "1");
        assertThat(waitAlone()).isZero();
    }

    @Test
    void itsErrorSaysWhatBecameOfTheLastPod() {
        world.begin(POISON, leaf("mul", 1));
        worker().step(List.of(), 0);
        for (int loss = 0; !allOver() && loss < 40; loss++) {
            Worker worker = worker();
            if (!worker.step(List.of(), 1).claims().isEmpty()) {
                worker.noteFate("the pod ended: Evicted: \"loss " + loss + "\"");
                worker.die();
            }
        }
        assertThat(world.task(POISON).get("error"))
                .matches(".*; the last time the pod ended: Evicted: [?]loss [0-9]+[?].*");
        assertThat(world.task(POISON)).doesNotContainKey("quiver_fate");
    }

    /** A task whose first loss is explained, and which is then lost in another way until it is over: its error. */
    private String errorOfLosses(Consumer<Worker> loss) {
        world.begin(POISON, leaf("mul", 1));
        worker().step(List.of(), 0);
        Worker first = worker();
        assertThat(first.step(List.of(), 1).claims()).hasSize(1);
        first.noteFate("the pod ended: Evicted");
        first.die();
        for (int more = 0; !allOver() && more < 40; more++) {
            Worker worker = worker();
            if (!worker.step(List.of(), 1).claims().isEmpty()) {
                loss.accept(worker);
            }
        }
        return world.task(POISON).get("error");
    }

    @Test
    void anEarlierPodDoesNotExplainALaterLoss() {
        assertThat(errorOfLosses(Worker::die)).contains("WorkerLost").doesNotContain("Evicted");
    }

    @Test
    void anEarlierPodDoesNotExplainALockThatLapsed() {
        assertThat(errorOfLosses(_ -> {
                    world.hurry("locked");
                    world.tick("p");
                }))
                .contains("WorkerLost")
                .doesNotContain("Evicted");
    }

    @Test
    void aLossUnderALivingSupervisorSaysHowItsContainerEnded() {
        world.begin(POISON, leaf("mul", 1));
        Worker worker = worker();
        worker.step(List.of(), 0);
        for (int loss = 0; !allOver() && loss < 40; loss++) {
            List<Settlement> lost = worker.step(List.of(), 1).claims().stream()
                    .map(claim -> IdoitWorld.lost(claim, "exit code 137 (OOMKilled)"))
                    .toList();
            worker.step(lost, 0);
        }
        assertThat(world.task(POISON).get("error")).contains("; the last time exit code 137 (OOMKilled)");
    }

    /** The watchdog takes the locks back before the dead sessions are noticed. */
    @Test
    void aLockThatLapsedIsALossToo() {
        begin(3);
        for (int loss = 0; loss < 2; loss++) {
            assertThat(worker().step(List.of(), 3).claims()).hasSize(3);
            world.hurry("locked");
            world.tick("p");
        }
        assertThat(worker().step(List.of(), 3).claims()).hasSize(1);
    }

    @Test
    void aFailureIsNoLoss() {
        begin(3);
        Worker worker = worker();
        for (int failure = 0; failure < 2; failure++) {
            List<Claim> claims = worker.step(List.of(), 3).claims();
            assertThat(claims).hasSize(3);
            worker.step(claims.stream().map(IdoitWorld::failed).toList(), 0);
            world.hurry("restart");
            world.tick("p");
        }
        assertThat(world.task("t0").get("quiver_lost")).isNull();
    }

    @Test
    void oneThatIsLostTwiceWaitsForAWorkerThatHoldsNothing() {
        begin(2);
        Worker busy = worker();
        List<Claim> held = busy.step(List.of(), 2).claims();
        for (int loss = 0; loss < 2; loss++) {
            world.begin("lost", leaf("mul", 7));
            Worker worker = worker();
            worker.step(List.of(), 0);
            assertThat(ids(worker.step(List.of(), 2).claims())).containsExactly("lost");
            worker.die();
        }
        assertThat(busy.step(List.of(), 2).claims()).isEmpty();
        assertThat(waitAlone()).isOne();
        busy.step(passed(held.subList(0, 1)), 0);
        assertThat(busy.step(List.of(), 2).claims()).isEmpty();
        assertThat(ids(busy.step(passed(held.subList(1, 2)), 2).claims())).containsExactly("lost");
        assertThat(waitAlone()).isZero();
    }

    /** However busy the pool is: one worker lets its other tasks end. */
    @Test
    void itDoesNotStarveInABusyPool() {
        begin(3);
        loseTwice();
        IntStream.range(0, 200).forEach(i -> world.begin("more" + i, leaf("mul", i)));
        List<Worker> workers = List.of(worker(), worker());
        workers.getFirst().step(List.of(), 0);
        for (Worker worker : workers) {
            world.store.ask(redis -> redis.srem(world.prefix + "p:startable", "t0", "t1", "t2"));
            worker.step(List.of(), 4);
            world.store.ask(redis -> redis.sadd(world.prefix + "p:startable", "t0", "t1", "t2"));
        }
        for (int round = 0; round < 200 && Stream.of("t0", "t1", "t2").anyMatch(id -> !isOver(id)); round++) {
            for (Worker worker : workers) {
                List<Claim> ends = List.copyOf(worker.held).subList(0, Math.min(2, worker.held.size()));
                assertThat(worker.held)
                        .as("one that runs alone has no neighbour")
                        .satisfies(held -> assertThat(held.size() == 1
                                        || held.stream()
                                                .noneMatch(claim -> claim.id().startsWith("t")))
                                .isTrue());
                worker.step(passed(ends), 2);
            }
        }
        assertThat(Stream.of("t0", "t1", "t2")).allMatch(this::isOver);
    }

    private boolean isOver(String id) {
        return "\"finished\"".equals(world.state(id));
    }

    @Test
    void anIteratorWhoseCallKillsItsWorkerIsCalledAlone() {
        world.begin(POISON, iterator("walk"));
        begin(0);
        for (int loss = 0; loss < 2; loss++) {
            Worker worker = worker();
            worker.step(List.of(), 0);
            assertThat(ids(worker.step(List.of(), 3).claims())).containsExactly(POISON);
            worker.die();
        }
        world.begin("t0", leaf("mul", 0));
        world.begin("t2", leaf("mul", 2));
        worker().step(List.of(), 0);
        assertThat(runAll()).isNotEmpty().containsOnly(1);
        assertThat(world.task("t0")).containsEntry("result", "1");
        assertThat(world.task("t2")).containsEntry("result", "1");
    }

    /** A worker takes the iterator, and the watchdog takes its command back before anybody knows more of the worker. */
    private Worker callThatLapses() {
        Worker worker = worker();
        worker.step(List.of(), 0);
        assertThat(ids(worker.step(List.of(), 3).claims())).containsExactly(POISON);
        world.hurry("p:commands_locked");
        world.tick("p");
        return worker;
    }

    private String losses() {
        return world.task(POISON).get("quiver_lost");
    }

    @Test
    void anIteratorWhoseCommandLapsedBeforeItsWorkerWasMissedIsCalledAlone() {
        world.begin(POISON, iterator("walk"));
        worker().step(List.of(), 0);
        for (int loss = 0; loss < 2; loss++) {
            callThatLapses().die();
        }
        assertThat(losses()).isEqualTo("2");
        begin(1);
        world.begin("t2", leaf("mul", 2));
        worker().step(List.of(), 0);
        assertThat(runAll()).isNotEmpty().containsOnly(1);
        assertThat(world.task("t0")).containsEntry("result", "1");
        assertThat(world.task("t2")).containsEntry("result", "1");
    }

    /** An answer of the second call would have taken the loss from the first one. */
    @Test
    void aCommandThatLapsedIsALossHoweverItsSessionGoesOn() {
        world.begin(POISON, iterator("walk"));
        worker().step(List.of(), 0);
        Worker late = callThatLapses();
        late.step(List.of(IdoitWorld.failed(late.held.getFirst())), 0);
        assertThat(losses()).isEqualTo("1");
        Worker died = callThatLapses();
        died.step(List.of(IdoitWorld.lost(died.held.getFirst(), "exit code 137")), 0);
        assertThat(losses()).isEqualTo("2");
        assertThat(world.task(POISON)).containsEntry("quiver_fate", "exit code 137");
        Worker answers = worker();
        answers.step(List.of(), 0);
        Claim claim = answers.step(List.of(), 3).claims().getFirst();
        answers.pass(claim, "{}"); // nothing for now
        assertThat(world.task(POISON)).as("of calls in a row").doesNotContainKeys("quiver_lost", "quiver_fate");
    }

    @Test
    void aCommandThatLapsedWhileItsCallWasNotBegunIsNoLoss() {
        world.begin(POISON, iterator("walk"));
        worker().step(List.of(), 0);
        Worker worker = callThatLapses();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        assertThat(losses()).isNull();
        assertThat(world.task(POISON)).containsEntry("quiver_tries", "0");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noLossIsNotedAtAnIteratorThatIsOver(boolean lapsed) {
        world.begin(POISON, iterator("walk"));
        worker().step(List.of(), 0);
        Worker worker = worker();
        assertThat(worker.step(List.of(), 3).claims()).hasSize(1);
        if (lapsed) {
            world.hurry("p:commands_locked");
            world.tick("p");
        }
        world.trees.change(POISON, Change.CANCEL);
        worker().step(List.of(), 0);
        assertThat(isOver(POISON)).isTrue();
        worker.die();
        assertThat(world.task(POISON)).doesNotContainKeys("quiver_lost", "quiver_tries");
    }

    /** Its lock lapses as any other does; the session goes on with other work. */
    @Test
    void aSessionIsFreeOnceTheGrantIsGone() {
        begin(3);
        loseTwice();
        Worker worker = worker();
        assertThat(worker.step(List.of(), 3).claims()).hasSize(1);
        String session = world.keyspace.prefix() + "session:" + worker.session.id();
        assertThat(world.store.<String>ask(redis -> redis.hget(session, "alone")))
                .isEqualTo("h idoit:p");
        world.grants.revoke("p");
        worker.source
                .prepare(new StepRequest(List.of(), List.of(), List.of("mul")))
                .run();
        assertThat(world.store.<String>ask(redis -> redis.hget(session, "alone")))
                .isNull();
    }
}
