package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.LastWords;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Unrestricted;

/** A worker container that turns against its supervisor: nothing of what it does decides what is counted. */
@Scenario
class HostileContainerE2E {

    private static final Logger LOG = LoggerFactory.getLogger(HostileContainerE2E.class);

    /** The harm of a task to the record of its worker, and what is found. Each place is as operator/slots has it. */
    enum Deed {
        WORDS_FULL_OF_CODES_THAT_ARE_NONE("WORDS in slot", """
                for at in range(4096, 4096 + 2 * 256, 256):
                    memory[at:at + 8] = bytes(random.randrange(6, 255) for _ in range(8))
                """),
        HOLES_IN_THE_RECORD("WORDS in slot", """
                KEEP_SIZE, PUNCH_HOLE = 1, 2
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.fallocate(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(len(memory))) != 0:
                    sys.exit(os.strerror(ctypes.get_errno()))
                """),
        A_TASK_THAT_NOBODY_DISPATCHED("the executor is ahead", "store(0, 'Q', (generation + 7) << 8 | 2)"),
        CLEAN_BEFORE_IT_WAS_DONE("not a state of the protocol", "store(0, 'Q', generation << 8 | 5)"),
        AN_OUTPUT_OF_A_TERABYTE("outLength is 1099511627776", """
                store(24, 'QQ', time.monotonic_ns(), 1 << 40)
                store(44, 'ii', 0, 0)
                store(0, 'Q', generation << 8 | 3)
                """),
        NAMES_LONGER_THAN_THEIR_PLACE("handlersLength is 3825", """
                for _ in range(6000):  # its agent puts them right whenever it looks
                    sequence, = struct.unpack_from('<I', memory, 256)
                    struct.pack_into('<II', memory, 256, (sequence + 2) & 0xFFFFFFFE, 3825)
                    time.sleep(0.01)
                """);

        private final String found;
        private final String program;

        Deed(String found, String harm) {
            this.found = found;
            this.program = Attack.EXEC + """
                    if os.environ['QUIVER_TRIAL'] != '1': sys.exit(0)  # run again elsewhere, it behaves
                    memory, fd = exec_record()
                    record = 4096 + 256 * int(os.environ['QUIVER_SLOT'])
                    control = open(os.path.join(os.environ['QUIVER_IN'], 'control'), 'rb').read()
                    generation = struct.unpack_from('<Q', control, record + 64)[0] >> 8
                    def store(at, pattern, *values): struct.pack_into('<' + pattern, memory, record + at, *values)
                    """ + harm + "\ntime.sleep(60)\n";
        }
    }

    /** A pool of two; each attack hits one worker while a run of good tasks uses both. */
    @Test
    void workersThatBreakTheRulesAreReplacedAndTheirTasksRunElsewhere(Space space) {
        Pool pool = space.readyPool("shared", 2, 2);
        for (Deed deed : Deed.values()) {
            LOG.info("{}", deed);
            assertReplacesWhoDoes(deed, space, pool);
        }
    }

    private static void assertReplacesWhoDoes(Deed deed, Space space, Pool pool) {
        String name = deed.name().toLowerCase(Locale.ROOT).replace('_', '-');
        try (LastWords words = new LastWords(space)) {
            Set<String> before = uids(pool);
            Run good =
                    space.run(Tasks.shell("good-" + name, "sleep 0.4").count(30).on(pool, 2));
            good.await("begun", status -> status.running() + status.succeeded() >= 2);
            Run evil = space.run(Attack.python("evil-" + name, deed.program).on(pool, 1));

            pool.awaitMessage(ConditionType.SlotsIntact, "False", deed.found);
            Awaitility.await(deed + ": an event says so")
                    .untilAsserted(() -> assertThat(space.events("WorkerPool"))
                            .anySatisfy(event ->
                                    assertThat(event).contains("SlotsViolated").contains(deed.found)));
            Awaitility.await(deed + ": the supervisor's last words say so")
                    .untilAsserted(() -> assertThat(words.said())
                            .anySatisfy(said -> assertThat(said).contains("broke the slots' protocol", deed.found)));
            assertThat(good.awaitFinished())
                    .as("good tasks beside %s", deed)
                    .returns(30L, TaskSetStatus::succeeded)
                    .returns(30L, TaskSetStatus::trials)
                    .returns(0L, TaskSetStatus::failed);
            assertThat(evil.awaitFinished()).as("%s", deed).returns(1L, TaskSetStatus::succeeded);
            Awaitility.await(deed + ": the pod is replaced and gone")
                    .untilAsserted(() -> assertThat(uids(pool))
                            .hasSize(2)
                            .isNotEqualTo(before)
                            .isEqualTo(uids(space.pods())));
            pool.awaitReady();
        }
    }

    /** Not even by root: the mount is read-only, the door is the agent's. */
    @Test
    void whatIsTheSupervisorsCannotBeTouchedNorItsAgentBeActed(@Unrestricted("a container of root") Space space) {
        Pool pool = space.readyPool("shared", 1, 2, "securityContext: {runAsUser: 0, runAsNonRoot: false}");
        Run vandal =
                space.run(Attack.python("vandal", Attack.EXEC + """
                folder = os.environ['QUIVER_IN']
                control, door = os.path.join(folder, 'control'), os.path.join(folder, 'socket')
                def refused(deed, *words):
                    try:
                        deed(*words)
                    except OSError as refusal:
                        if refusal.errno in (errno.EROFS, errno.EACCES): return
                        sys.exit(f'{deed.__name__}{words}: {refusal}')
                    sys.exit(f'{deed.__name__}{words} was done')
                refused(open, control, 'r+')
                refused(os.truncate, control, 0)
                refused(os.rename, control, control + '.old')
                refused(os.chmod, control, 0o777)
                refused(os.unlink, control)
                refused(os.unlink, door)
                refused(os.truncate, os.path.join(folder, f"task-{os.environ['QUIVER_SLOT']}.in"), 0)

                # An agent with a memory of its own, made as the real one makes it.
                import fcntl
                with open(control, 'rb') as file: header = file.read(48)
                slots, = struct.unpack_from('<I', header, 16)
                fd = os.memfd_create('quiver-exec', os.MFD_ALLOW_SEALING)
                size, epoch = 8192, time.monotonic_ns()
                os.ftruncate(fd, size)
                memory = mmap.mmap(fd, size)
                memory[0:48] = header
                struct.pack_into('<QHH', memory, 0, 0x0043455845525651, 1, 1)
                struct.pack_into('<Q', memory, 48, epoch)
                fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
                frame = struct.pack('<IHHII16sQQI12x', 0x4D524651, 1, 2, slots, 0, header[32:48], epoch, size, os.getpid())
                caller = socket.socket(socket.AF_UNIX)
                caller.settimeout(20)
                try:
                    caller.connect(door)
                    socket.send_fds(caller, [frame], [fd])
                    if caller.recv(64): sys.exit('the false agent was heard')
                except ConnectionError:
                    pass  # turned away even sooner
                """).trials(1).on(pool, 1));
        TaskSetStatus end = vandal.awaitFinished();
        assertThat(end.succeeded()).as("%s", end.failures()).isEqualTo(1);
        assertThat(space.run(Tasks.shell("afterwards", "sleep 0.2").count(8).on(pool, 1))
                        .awaitFinished())
                .returns(8L, TaskSetStatus::succeeded)
                .returns(8L, TaskSetStatus::trials);
        Attack.assertUnharmed(pool);
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
        Attack.assertUnharmed(pool);
    }

    private static Set<String> uids(Pool pool) {
        return uids(pool.pods());
    }

    private static Set<String> uids(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet());
    }
}
