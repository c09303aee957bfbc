package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.iterator;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leaf;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.wires.idoit.IdoitWorld.Worker;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** Locks that lapsed and were put anew, by npm's programs, which know of no session. */
class IdoitLocksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private IdoitWorld world;
    private Worker slow;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
        slow = world.worker("p", "mul", "walk");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** As npm takes a task: its own fields stay as Quiver wrote them. */
    private void lockByNpm(String id) {
        world.hurry("locked");
        world.tick("p");
        world.store.ask(redis -> redis.srem(world.prefix + "p:startable", id));
        world.store.ask(redis -> redis.zadd(world.prefix + "locked", System.currentTimeMillis() + 600_000.0, id));
        world.store.ask(redis -> redis.hset(world.prefix + id, Map.of("state", "\"locked\"")));
    }

    @Test
    void resultOfALockThatNpmPutAnewCountsNothing() {
        world.begin("t", leaf("mul", 1));
        Claim claim = slow.claimOne();
        lockByNpm("t");
        Map<String, String> theirs = world.task("t");
        assertThat(slow.source.attend(List.of(new RunningTask(claim.id(), 0, 1))))
                .as("it is told that it lost the task")
                .containsExactly("t");
        assertThat(slow.step(List.of(passed(claim, "1")), 0).verdicts()).containsExactly(StepCall.Verdict.VOID);
        assertThat(world.task("t")).isEqualTo(theirs);
        assertThat(world.store.<Double>ask(redis -> redis.zscore(world.prefix + "locked", "t")))
                .isNotNull();
    }

    @Test
    void taskOfALockThatNpmPutAnewIsNotGivenBack() {
        world.begin("t", leaf("mul", 1));
        Claim claim = slow.claimOne();
        lockByNpm("t");
        assertThat(slow.step(List.of(new Settlement.Returned(claim)), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(world.state("t")).isEqualTo("\"locked\"");
        assertThat(world.worker("p", "mul").claim()).isEmpty();
    }

    @Test
    void deadSessionTakesNoLockAwayThatNpmPutAnew() {
        world.begin("t", leaf("mul", 1));
        slow.claimOne();
        lockByNpm("t");
        slow.die();
        assertThat(world.state("t")).isEqualTo("\"locked\"");
        assertThat(world.store.<Long>ask(redis -> redis.zcard(world.prefix + "locked")))
                .isOne();
    }

    /** The session itself took the task again: the earlier claim's lock is not its present one. */
    @Test
    void resultOfAnEarlierClaimOfTheSameSessionCountsNothing() {
        world.begin("t", leaf("mul", 1));
        Claim earlier = slow.claimOne();
        world.hurry("locked");
        world.tick("p");
        Claim later = slow.claimOne();
        assertThat(slow.step(List.of(passed(earlier, "1")), 0).verdicts()).doesNotContain(StepCall.Verdict.COUNTED);
        assertThat(slow.step(List.of(passed(later, "2")), 0).verdicts()).containsExactly(StepCall.Verdict.COUNTED);
        assertThat(world.task("t")).containsEntry("result", "2");
    }

    @Test
    void answerOfACallWhoseCommandNpmTookCountsNothing() {
        world.begin("t", iterator("walk"));
        Claim call = slow.claimOne();
        world.hurry("p:commands_locked"); // its watchdog brings the command back, and another program takes it away
        world.store.ask(redis -> redis.del(world.prefix + "p:commands_locked"));
        assertThat(slow.step(List.of(passed(call, "{\"state\":1,\"tasks\":[{\"handler\":\"mul\"}]}")), 0)
                        .verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(world.task("t")).containsEntry("children_created", "0");
    }
}
