package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/**
 * A worker container that turns against its supervisor: nothing of what it does decides what is counted.
 *
 * <p>It floods and starves whatever runs beside it, so it runs alone.
 */
@Disturbance
class HostileContainerE2E {

    /** Opens the executors' record through its agent and calls {@code harm(memory)} with the mapping. */
    private static final String EXEC = """
            import ctypes, glob, mmap, os, random, socket, stat, sys, time
            def exec_record():
                for name in glob.glob('/proc/1/fd/*'):
                    if 'memfd:' in os.readlink(name):
                        fd = os.open(name, os.O_RDWR)
                        return mmap.mmap(fd, os.fstat(fd).st_size), fd
                sys.exit('no record found')
            """;

    /** Only when it runs for the first time: what is lost with a worker is run again elsewhere. */
    private static final String ONCE = "if os.environ['QUIVER_TRIAL'] != '1': sys.exit(0)\n";

    @Test
    void workerWhoseWordsAreFlippedIsReplacedAndItsTasksRunElsewhere(Space space) {
        attack(space, "memory, _ = exec_record()", """
                for slot in range(2):
                    memory[4096 + 256 * slot:4096 + 256 * slot + 8] = bytes(random.randrange(6, 255) for _ in range(8))
                time.sleep(60)
                """);
    }

    @Test
    void workerWhoseRecordIsPunchedFullOfHolesIsReplacedAndItsTasksRunElsewhere(Space space) {
        attack(space, "_, fd = exec_record()", """
                KEEP_SIZE, PUNCH_HOLE = 1, 2
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.fallocate(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(os.fstat(fd).st_size)) != 0:
                    sys.exit(os.strerror(ctypes.get_errno()))
                time.sleep(60)
                """);
    }

    /** A pool of two; the attack hits one worker while a run of good tasks uses both. */
    private static void attack(Space space, String preparation, String harm) {
        Pool pool = space.readyPool("shared", 2, 2);
        Set<String> before = uids(pool);
        Run good = space.run(Tasks.shell("good", "sleep 0.4").count(80).on(pool, 2));
        good.awaitRunning(2);
        Run evil = space.run(
                python("evil", EXEC + ONCE + preparation + "\n" + harm).on(pool, 1));

        Awaitility.await("an event says what was found")
                .atMost(Promise.ofSeconds(20))
                .untilAsserted(() -> assertThat(space.events("WorkerPool"))
                        .anySatisfy(event -> assertThat(event).contains("SlotsViolated")));
        Awaitility.await("the pod is replaced")
                .atMost(Promise.ofSeconds(40))
                .untilAsserted(() -> assertThat(uids(pool)).hasSize(2).isNotEqualTo(before));
        assertThat(good.awaitFinished())
                .returns(80L, TaskSetStatus::succeeded)
                .returns(80L, TaskSetStatus::trials)
                .returns(0L, TaskSetStatus::failed);
        assertThat(evil.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        pool.awaitReady();
    }

    @Test
    void outputThatIsNotAPlainFileIsRefusedAndTheSlotIsCleanAgain(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        Map<String, String> swaps = Map.of(
                "link", "ln -sf /etc/passwd $QUIVER_OUTPUT",
                "pipe",
                        "rm $QUIVER_OUTPUT; mkfifo $QUIVER_OUTPUT || python3 -c 'import os; os.mkfifo(os.environ[\"QUIVER_OUTPUT\"])'",
                "folder", "rm $QUIVER_OUTPUT; mkdir -p $QUIVER_OUTPUT/deep/er",
                "gone", "rm $QUIVER_OUTPUT",
                "twins", "ln $QUIVER_OUTPUT $QUIVER_OUTPUT.twin");
        swaps.entrySet().stream()
                .map(swap ->
                        space.run(Tasks.shell(swap.getKey(), swap.getValue()).on(pool, 1)))
                .toList()
                .forEach(run -> {
                    assertThat(run.awaitFinished()).as(run.name()).returns(1L, TaskSetStatus::failed);
                    assertThat(run.status().failures().getFirst().reason())
                            .as(run.name())
                            .isEqualTo("OutputInvalid");
                });
        assertThat(space.run(Tasks.shell("afterwards", "echo fine > $QUIVER_OUTPUT")
                                .count(8)
                                .on(pool, 1))
                        .awaitFinished())
                .returns(8L, TaskSetStatus::succeeded)
                .returns(8L, TaskSetStatus::trials);
        assertUnharmed(pool);
    }

    @Test
    void floodsOfTheBellAndTheSocketAndAFalseAgentDoNotStopTheOthers(Space space) {
        Pool pool = space.readyPool("shared", 1, 4);
        Run bell = space.run(python("bell", EXEC + """
                memory, _ = exec_record()
                word = ctypes.c_uint32.from_buffer(memory, 128)
                libc = ctypes.CDLL(None)
                until = time.time() + 8
                while time.time() < until:
                    word.value += 1
                    libc.syscall(202, ctypes.byref(word), 1, 2147483647, None, None, 0)
                """).on(pool, 1));
        Run impostor = space.run(python("impostor", EXEC + """
                until = time.time() + 8
                while time.time() < until:
                    s = socket.socket(socket.AF_UNIX)
                    try:
                        s.connect(os.path.join(os.path.dirname(os.environ['QUIVER_INPUT']), 'socket'))
                        for _ in range(100): s.send(os.urandom(64))
                    except OSError:
                        time.sleep(0.001)
                    s.close()
                """).on(pool, 1));
        Run good = space.run(Tasks.shell("good", "sleep 0.1").count(100).on(pool, 1));
        assertThat(good.awaitFinished()).returns(100L, TaskSetStatus::succeeded).returns(100L, TaskSetStatus::trials);
        assertThat(bell.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        assertThat(impostor.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        assertUnharmed(pool);
    }

    private static Tasks python(String name, String program) {
        return Tasks.command(name, "python3", "-c", program).trials(2);
    }

    private static Set<String> uids(Pool pool) {
        return pool.pods().stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet());
    }

    private static void assertUnharmed(Pool pool) {
        assertThat(pool.pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getContainerStatuses())
                        .allMatch(status -> status.getRestartCount() == 0));
        pool.awaitReason(ConditionType.Ready, "AllReplicasReady");
    }
}
