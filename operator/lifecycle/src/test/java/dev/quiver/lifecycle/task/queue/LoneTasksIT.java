package dev.quiver.lifecycle.task.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.worker.Claim;

/**
 * Trees of one task, which a claim reads by its record's text where that is the first trial of a plain one. Each row
 * changes what stands in the record of one that waits: the claim is as if it had been parsed.
 */
class LoneTasksIT {

    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** A task that nobody watches or keeps. */
    private void submit() {
        TaskTree tree = new TaskTree(
                "t",
                World.leaf("a"),
                Optional.empty(),
                false,
                Optional.empty(),
                Duration.ZERO,
                Optional.of(Duration.ZERO));
        new TaskProducer(world.store, world.keyspace, () -> {}).submit(Submission.of(List.of(tree)), SOON);
    }

    private String record() {
        return world.store.ask(redis -> redis.hget(world.keys.nodes(), "t"));
    }

    private void write(String record) {
        world.store.ask(redis -> redis.hset(world.keys.nodes(), "t", record.replace(' ', '\t')));
    }

    @Test
    void aPlainTaskIsHeldUnderItsNumberAndGoesWhenItHasPassed() {
        submit();
        assertThat(record()).isEqualTo("L s  p h 1 0 0 1 0 1    ".replace(' ', '\t'));
        Claim claim = worker.claim().getFirst();
        assertThat(record()).isEqualTo("L l  p h 1 0 0 1 0 1    ".replace(' ', '\t'));
        assertThat(claim.trial()).isEqualTo(1);
        assertThat(worker.claim()).isEmpty();
        worker.step(List.of(World.passed(claim, "7")), 1);
        assertThat(world.nodes()).isZero();
    }

    @Test
    void aTaskThatSomebodyWatchesIsCountedAmongThoseThatRun() {
        world.begin("t", World.leaf("a"));
        assertThat(world.state("t").counts().startable()).isOne();
        worker.claim();
        assertThat(world.state("t").counts().startable()).isZero();
        assertThat(world.state("t").counts().locked()).isOne();
    }

    @ParameterizedTest
    @CsvSource({
        "a later trial, L s  p h 5 1 0 1 0 1, 2",
        "a trial behind a loss, L s  p h 5 0 2 1 0 1, 3",
        "another number, L s  p h 5 0 0 1 0 77, 1",
        "no number, L s  p h 5 0 0 1 0 , 1",
    })
    void aTaskThatIsNotAtItsBeginningIsClaimedAsItIs(String name, String record, int trial) {
        submit();
        write(record + "    ");
        assertThat(worker.claim())
                .as(name)
                .singleElement()
                .satisfies(claim -> assertThat(claim.trial()).isEqualTo(trial));
        assertThat(record()).startsWith("L\tl\t").endsWith("\t0\t1\t\t\t\t");
    }

    @ParameterizedTest
    @CsvSource({
        "suspended, 'L s  p h 5 0 0 1 0 1   1 '",
        "it runs, 'L l  p h 5 0 0 1 0 1    '",
        "it has ended, 'L f  p h 5 0 0 1 0 1    '",
        "a number of trials beyond all bounds, 'L s  p h 12345678901234567890 0 0 1 0 1    '",
        "a number beyond all bounds, 'L s  p h 5 0 0 1 0 12345678901234567890    '",
        "a child of nobody, 'L s 3 p h 5 0 0 1 0 1    '",
        "no pool, 'L s   h 5 0 0 1 0 1    '",
        "no record, of a tenant",
    })
    void aTaskThatMustNotRunIsNotGivenOut(String name, String record) {
        submit();
        write(record);
        assertThat(worker.claim()).as(name).isEmpty();
    }

    @Test
    void aNumberBeyondAllBoundsIsRefusedAlsoWhereTheQueueHasIt() {
        submit();
        write("L s  p h 5 0 0 1 0 1234567890123456    ");
        world.store.ask(redis -> redis.zadd(world.keys.queue("p").get(1), 1234567890123456d, "t"));
        assertThat(worker.claim()).isEmpty();
    }

    @Test
    void aTaskWhosePlanIsToBeMadeIsGivenOutAsSuch() {
        submit();
        write("L s  p h#plan 5 0 0 1 0 1    ");
        assertThat(worker.claim())
                .singleElement()
                .satisfies(claim -> assertThat(claim.task().handler()).contains("h#plan"));
    }

    @Test
    void aTaskOfAnotherPodsHandlerIsLeftToIt() {
        submit();
        write("L s  p other 1 0 0 1 0 1    ");
        assertThat(worker.claim()).isEmpty();
        assertThat(world.worker("p", "other").claim()).hasSize(1);
    }
}
