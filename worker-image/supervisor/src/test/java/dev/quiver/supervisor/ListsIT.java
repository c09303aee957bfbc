package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Programs in real slots that write a list of tasks. */
class ListsIT {

    private static final String PROGRAM = TaskSetControl.listing("set");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void openPool() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT.multipliedBy(2))
                .writing(8 << 20);
    }

    @AfterEach
    void close() throws IOException {
        pod.close();
        pool.close();
    }

    private void open(String script) {
        pool.open(PROGRAM, 1, PoolFixture.trials(1), "/bin/sh", "-c", script);
    }

    private TaskSetSnapshot awaitEnd() {
        await().until(() -> pool.snapshot(PROGRAM).status().isFinal());
        return pool.snapshot(PROGRAM);
    }

    private TaskSetSnapshot run(String script) {
        open(script);
        pod.start();
        return awaitEnd();
    }

    private String list() {
        return Stream.iterate(0, page -> page + 1)
                .map(page -> pool.control().page(PROGRAM, page))
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .collect(Collectors.joining());
    }

    private static String numbers(int most) {
        return IntStream.rangeClosed(1, most).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    @Test
    void aLongListIsInRedisWhenItsProgramIsSettled() {
        assertThat(run("seq 500000 > $QUIVER_OUTPUT").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(list()).isEqualTo(numbers(500_000));
    }

    @Test
    void bytesThatAreNoTextFailTheProgramAndNameTheLine() {
        TaskSetSnapshot end = run("printf 'a\\nb\\377\\n' > $QUIVER_OUTPUT");
        assertThat(end.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(end.failures().getFirst().reason()).isEqualTo("ListInvalid");
        assertThat(end.failures().getFirst().message()).isEqualTo("line 2 of the list: the bytes are no UTF-8");
        assertThat(list()).isEmpty();
    }

    @Test
    void aProgramThatFailsListsNothing() {
        TaskSetSnapshot end = run("seq 10 > $QUIVER_OUTPUT; echo no tests >&2; exit 5");
        assertThat(end.failures().getFirst().exitCode()).contains(5);
        assertThat(end.failures().getFirst().message()).isEqualTo("no tests");
        assertThat(list()).isEmpty();
    }

    @Test
    void aListOutlivesTheSupervisorThatHadNotSentIt() throws IOException {
        Path starts = pod.scratch().resolve("starts");
        Path go = pod.scratch().resolve("go");
        Path end = pod.scratch().resolve("end");
        open("""
                echo x >> %s
                while ! test -e %s; do sleep 0.1; done
                seq 200000 > $QUIVER_OUTPUT
                echo x > %s
                """.formatted(starts, go, end));
        pod.start();
        await().until(() -> Files.exists(starts));
        pod.supervisor().signal("KILL");
        pod.supervisor().awaitEnd();
        Files.createFile(go);
        await().until(() -> Files.exists(end));
        pod.startSupervisor();
        assertThat(awaitEnd().lost()).isZero();
        assertThat(Files.readAllLines(starts)).as("it ran once").hasSize(1);
        assertThat(list()).isEqualTo(numbers(200_000));
    }

    /** The page that Redis refuses is sent again, and no further one is sent meanwhile. */
    @Test
    void aListWaitsForTheMemoryOfRedis() throws IOException {
        Path go = pod.scratch().resolve("go");
        open("while ! test -e %s; do sleep 0.1; done; seq 300000 > $QUIVER_OUTPUT".formatted(go));
        pod.start();
        await().until(() -> pool.snapshot(PROGRAM).running() == 1);
        pool.store().ask(commands -> commands.configSet("maxmemory", "1mb"));
        Files.createFile(go);
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true); // in which it would end if it dropped a page
        assertThat(pool.snapshot(PROGRAM).status()).isEqualTo(TaskSetState.RUNNING);
        assertThat(list()).isEmpty();
        pool.store().ask(commands -> commands.configSet("maxmemory", "0"));
        assertThat(awaitEnd().status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(list()).isEqualTo(numbers(300_000));
    }

    @Test
    void aProgramThatIsCalledOffIsStopped() throws IOException {
        Path starts = pod.scratch().resolve("starts");
        open("echo x >> %s; sleep 600".formatted(starts));
        pod.start();
        await().until(() -> Files.exists(starts));
        pool.end(PROGRAM, new StatusChange.Cancel());
        await().until(() -> pool.workers().stream().allMatch(worker -> worker.busySlots() == 0));
    }
}
